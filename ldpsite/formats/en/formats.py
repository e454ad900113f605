"""Days as the axes of charts have them, such as Nov 14, 2026, and times of UTC by the clock of 24 hours."""

DATE_FORMAT = SHORT_DATE_FORMAT = "M j, Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "M j, Y, H:i"
