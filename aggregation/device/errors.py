"""What a device refuses to do."""


class DeviceError(Exception):
    """Something is refused or does not work; the message says what, and what to do about it."""
