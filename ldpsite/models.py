"""Module without models. `migrate` announces its end only to applications that have this module; see ldpsite.apps."""
