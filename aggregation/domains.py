"""Names of hosts in any form, mapped to A-labels by UTS #46."""

from typing import Final

import idna

LONGEST_HOST: Final = 253
_JOINERS: Final = ("\u200c", "\u200d")


def mapped_domain(text: str) -> str | None:
    """Return a host name as A-labels in lower case, by the rules alone; None if it is none."""
    try:
        labels = idna.uts46_remap(text, std3_rules=True).removesuffix(".").split(".")
        encoded = [_a_label(label) for label in labels]
    except (idna.IDNAError, UnicodeError, ValueError):
        return None
    host = ".".join(encoded)
    # A last label of digits makes an IPv4 address, in whatever notation; one with a colon did not get this far.
    if len(encoded) < 2 or len(host) > LONGEST_HOST or _is_number(encoded[-1]):
        return None
    return host


def _a_label(label: str) -> str:
    if label.startswith("xn--"):
        ascii_label, label = label, label[4:].encode("ascii").decode("punycode")
        # A spelling that decodes to plain ASCII, to the beginning of Punycode or to something that would be mapped
        # names no label of its own.
        if label.isascii() or label.startswith("xn--") or idna.uts46_remap(label, std3_rules=True) != label:
            raise idna.IDNAError(f"{ascii_label} is no A-label.")
    if not label:
        raise idna.IDNAError("A label is empty.")
    if label.isascii():
        encoded = label
    else:
        idna.check_initial_combiner(label)
        idna.check_bidi(label)
        for position, character in enumerate(label):
            if character in _JOINERS and not idna.valid_contextj(label, position):
                raise idna.IDNAError("A joiner stands where none may.")
        encoded = "xn--" + label.encode("punycode").decode("ascii")
    if len(encoded) > 63:
        raise idna.IDNAError("A label is longer than 63 characters.")
    return encoded


def _is_number(label: str) -> bool:
    return label.isdigit() or (label.startswith("0x") and all(digit in "0123456789abcdef" for digit in label[2:]))
