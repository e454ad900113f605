from .client import Client
from .server import Server


class LetterBallot(Client, Server):
    """k-ary randomised response about letters, in two boxes."""
