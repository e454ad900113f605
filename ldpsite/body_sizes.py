"""The size that the web server and the site agree on. gunicorn's worker reads it before there is a Django."""

# A body of this size is waited for without a thread: every form but that of uploads, and the documents of devices.
# Larger ones are read in a thread, for those alone who may send them.
SMALL_BODY_BYTES = 3 << 20
