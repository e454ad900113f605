"""Pages that others may frame, and the links that open them."""
