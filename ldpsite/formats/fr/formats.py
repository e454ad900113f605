"""Days as the axes of charts have them, such as 14 nov. 2026, and times of UTC."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j N Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j N Y, H:i"
