"""A device's side: what it observes is privatised at once, held, sampled within its limits, and sent, if at all."""

from aggregation.device.configuration import Configuration, read_configuration
from aggregation.device.delivering import Delivery, Sending
from aggregation.device.device import Device, Lapsed
from aggregation.device.errors import DeviceError
from aggregation.device.holding import Observed
from aggregation.device.sampling import Dropped
from aggregation.device.transport import Answer

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
