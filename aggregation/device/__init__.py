"""A device's side: what it observes is privatised at once, held, sampled within its limits, and sent, if at all."""

from .configuration import Configuration, read_configuration
from .delivering import Delivery, Sending
from .device import Device, Lapsed
from .errors import DeviceError
from .holding import Observed
from .sampling import Dropped
from .transport import Answer

__all__ = [
    "Answer",
    "Configuration",
    "Delivery",
    "Device",
    "DeviceError",
    "Dropped",
    "Lapsed",
    "Observed",
    "Sending",
    "read_configuration",
]
