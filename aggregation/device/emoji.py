"""Recognition of single emoji by their form: a device has no list of them, and new ones come every year."""

import re
from typing import Final

# No emoji of Unicode has more than 10 code points; some more leave room for variation selectors.
_LONGEST: Final = 16
# The blocks that have emoji, and those that Unicode keeps free for new ones; no letters, digits or spaces. Of the
# letters and digits in circles and squares only those that are emoji, such as 🅰: joined, the others would make words.
_PICTURES: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u2775\u2794-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f0ff\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201\U0001f202\U0001f21a\U0001f22f"
    "\U0001f232-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001faff\U0001fc00-\U0001fffd"
)
# A picture, perhaps with a variation selector and a skin tone.
_PICTURE: Final = f"[{_PICTURES}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?[\ufe0e\ufe0f]?"
# The flag of a region such as Scotland: a black flag with its code. Elsewhere tags, which are invisible, could spell
# anything.
_TAGGED: Final = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
# A keycap, a flag of two letters, that of a region, or pictures that joiners make one.
_EMOJI: Final = re.compile(
    f"[0-9#*][\ufe0e\ufe0f]?\u20e3|[\U0001f1e6-\U0001f1ff]{{2}}|{_TAGGED}|{_PICTURE}(?:\u200d{_PICTURE})*"
)


def is_one_emoji(text: str) -> bool:
    """Tell whether a text may be one emoji: never False for one, never True for a word or for two side by side."""
    return len(text) <= _LONGEST and _EMOJI.fullmatch(text) is not None
