"""The error of a device that refuses."""


class DeviceError(Exception):
    """Something is refused or does not work; the message says what, and what to do about it."""
