"""The audit of clients: what reports give away is measured from the reports alone, as an observer would.

A client is a program that turns elements into record lines (`clients`); the server's own parser reads them. Nothing
here looks at how a client draws its randomness, only at what comes of it.
"""
