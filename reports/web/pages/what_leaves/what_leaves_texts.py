"""The words of the page "What leaves your device": its script fills them in, and so does the recorded example."""

from django.utils.translation import gettext as _

# Inputs to type, by the way texts are normalised; in the script the other inputs to compare with, too. Words are kept
# where the alphabet has their characters.
SUGGESTIONS = {
    "emoji": ["❤️", "😂", "👍", "😭", "🔥", "🎉", "🙏", "😊", "💀", "🥰"],
    "word": ["selfie", "lol", "omg", "yeet", "wyd", "vibe", "été", "niña", "naïf", "señal", "schön", "привет", "שלום"],
    "domain": [f"{name}.example.com" for name in ("www", "news", "bank", "clinic", "video", "shop", "games", "mail")],
    "raw": ["apple", "banana", "cherry", "grape", "lemon", "mango", "peach", "plum"],
}


def texts() -> dict[str, str]:
    """By name; `%(name)s` is filled in."""
    return _record_texts() | _comparison_texts() | _input_texts()


def _record_texts() -> dict[str, str]:
    return {
        "element": _("“%(text)s”"),
        "row": _(
            "Row %(row)s, drawn at random from %(rows)s. The row decides which of the %(bits)s bits stands for what."
        ),
        "hot": _("In this row, bit %(bit)s stands for %(element)s. Before the noise it was the only bit that is 1."),
        "noise": _(
            "Then each of the bits was turned over with a probability of %(flip)s. Now %(ones)s are 1; the noise alone"
            " makes it about %(expected)s."
        ),
        "kept": _("Bit %(bit)s is 1: the noise has left it as it was."),
        "turned": _("Bit %(bit)s is 0: the noise has turned it over."),
        "picture": _(
            "Picture of the %(bits)s bits: %(ones)s are 1. The ring is around bit %(bit)s, which is %(value)s."
        ),
        "question": _(
            "Row %(row)s of %(rows)s and coordinate %(coordinate)s of %(bits)s, both drawn at random. Together they are"
            " a question that every input answers with 1 or −1."
        ),
        "honest": _(
            "The honest answer for %(element)s is %(honest)s. It was turned over with a probability of %(flip)s."
        ),
        "sign_kept": _("The record says %(sign)s: the noise has left the answer as it was."),
        "sign_turned": _("The record says %(sign)s: the noise has turned the answer over."),
        "bucket_row": _(
            "Row %(row)s, drawn at random from %(rows)s. The row decides which of the %(buckets)s buckets each input is"
            " in, together with many others."
        ),
        "bucket_own": _("In this row, %(element)s is in bucket %(bucket)s."),
        "bucket_kept": _(
            "The record names bucket %(sent)s: its own. With a probability of %(lie)s it would have named another one,"
            " drawn at random."
        ),
        "bucket_lie": _(
            "The record names bucket %(sent)s, which is none of its own: with a probability of %(lie)s a device names"
            " another one, drawn at random."
        ),
        "subset": _(
            "The record names %(w)s of the %(size)s elements that devices know, by their numbers: %(elements)s."
        ),
        "subset_first": _(
            "The record names %(w)s of the %(size)s elements that devices know, by their numbers, the first of them:"
            " %(elements)s."
        ),
        "own_number": _(
            "The number of %(element)s is %(number)s. It is named with a probability of %(own)s; the others were drawn"
            " at random."
        ),
        "own_in": _("It is named: the noise has left it in."),
        "own_out": _("It is not named: the noise has left it out."),
        "anything_else": _("anything else"),
        "told_in": _("the numbers %(numbers)s; its own is among them."),
        "told_out": _("the numbers %(numbers)s; its own is not among them."),
        "position": _(
            "Position %(position)s, drawn at random: the record is about characters %(position)s and %(next)s of the"
            " word, which is filled up to %(length)s characters, and about the whole word."
        ),
        "puzzle": _(
            "Puzzle %(puzzle)s: one byte computed from the whole word, by which the server puts fragments of one word"
            " together. One word in 256 has the same."
        ),
        "sampled_word": _(
            "Position 0, drawn at random without looking at the word: the record is about the whole word, which is"
            " filled up to %(length)s characters."
        ),
        "sampled_letters": _(
            "Position %(position)s, drawn at random without looking at the word: the record is about characters"
            " %(position)s and %(next)s of the word, which is filled up to %(length)s characters, and about nothing"
            " else."
        ),
        "fragment_title": _("First vector: puzzle and fragment, %(element)s, with ε = %(epsilon)s"),
        "word_title": _("Second vector: the whole word, %(element)s, with ε = %(epsilon)s"),
        "summary": _("A new record about %(element)s: %(told)s"),
        "told_bits": _("row %(row)s, %(ones)s of %(bits)s bits are 1; its own bit is %(value)s."),
        "told_sign": _("row %(row)s, coordinate %(coordinate)s; the answer is %(sign)s."),
        "told_bucket": _("row %(row)s, bucket %(sent)s."),
        "told_whole": _("about the whole word; row %(row)s, bucket %(sent)s."),
        "told_letters": _("about two letters from position %(position)s; row %(row)s, bucket %(sent)s."),
        "told_word": _(
            "position %(position)s; its own bit is %(first)s in the first vector and %(second)s in the second."
        ),
        "costs": _("ε of a record: %(epsilon)s. Records a device sends a day: at most %(limit)s."),
        "costs_shared": _(
            "ε of a record: %(epsilon)s. Records a device sends a day: at most %(limit)s, of this and other use cases."
        ),
    }


def _comparison_texts() -> dict[str, str]:
    return {
        "bound": _(
            "Each of these inputs, and every other one, could have produced this very record: none with more than"
            " %(bound)s times the probability of another. That is e to the power of ε, here %(epsilon)s, and holds for"
            " every record."
        ),
        "belief": _(
            "An observer who thought these %(count)s inputs equally likely, %(before)s each, would after this record"
            " believe in %(element)s with %(after)s."
        ),
        "verdict_misled": _(
            "From this record nobody can tell what the input was. Here the noise misleads: %(other)s looks likelier."
        ),
        "verdict_tied": _(
            "From this record nobody can tell what the input was: it fits %(count)s of these inputs equally well."
        ),
        "verdict_ahead": _(
            "From this record nobody can tell for certain what the input was. But it fits %(element)s better than the"
            " others here: that is what one record gives away."
        ),
        "verdict_strong": _(
            "From this record nobody can tell for certain what the input was, but with an ε this large a single record"
            " is a strong hint at %(element)s."
        ),
        "own_bits": _("Its bit"),
        "own_word": _("Its bits"),
        "own_sign": _("Its honest answer"),
        "own_bucket": _("Its bucket"),
        "own_subset": _("Named in the record"),
        "yes": _("yes"),
        "no": _("no"),
        "itself": _("the input"),
        "equal": _("equally likely"),
        "likelier": _("%(times)s times as likely under %(element)s"),
        "one_in": _("1 in %(count)s"),
        "power": _("%(digits)s × 10%(exponent)s"),
        "percent": _("%(number)s %%"),
        "over": _("over %(share)s"),
        "under": _("under %(share)s"),
        "tally_bits": _(
            "Records made so far: %(made)s. The noise turned the own bit over in %(turned)s; %(flip)s is the average."
        ),
        "tally_sign": _(
            "Records made so far: %(made)s. The noise turned the answer over in %(turned)s; %(flip)s is the average."
        ),
        "tally_bucket": _(
            "Records made so far: %(made)s. Another bucket than the own one is named in %(turned)s; %(flip)s is the"
            " average."
        ),
        "tally_subset": _(
            "Records made so far: %(made)s. The noise left the own element out in %(turned)s; %(flip)s is the average."
        ),
        "tally_sampled": _(
            "Records made so far: %(made)s; %(letters)s of them are about two letters, where %(share)s is the average."
            " Another bucket than the own one is named in %(turned)s."
        ),
        "tally_word": _(
            "Records made so far: %(made)s. The noise turned the own bit over in the first vector of %(turned)s and in"
            " the second of %(second)s; %(flip)s and %(second_flip)s are the averages."
        ),
    }


def _input_texts() -> dict[str, str]:
    return {
        "label_emoji": _("An emoji"),
        "label_word": _("A word"),
        "label_domain": _("A host name"),
        "label_raw": _("A text"),
        "nothing_typed": _("Type something, or choose one of the suggestions."),
        "no_text": _(
            "A device reports nothing: this holds half of a character (a lone surrogate), which is no text. Type"
            " it again."
        ),
        "pad": _(
            "A device reports nothing: words with “_” are left out, because shorter words are filled up with it. Leave"
            " it out."
        ),
        "not_in_alphabet": _(
            "A device reports nothing: %(character)s is not in the alphabet of this use case, and words outside it are"
            " left out. Use only: %(alphabet)s"
        ),
        "no_host": _("A device reports nothing: this is no full host name. Type one such as www.example.com."),
        "other_host": _(
            "This page can prepare plain host names only, of the letters a to z, digits and hyphens; devices convert"
            " others first. Type one such as www.example.com."
        ),
        "counted_as": _("Counted as %(element)s."),
        "cut": _("Only the first %(length)s characters are reported: %(element)s."),
        "not_one": _(
            "A device reports nothing: this is not one emoji, and other text, or several at once, is left out. Type a"
            " single emoji, or choose one of the suggestions."
        ),
        "stand_ins": _(
            "The suggestions are stand-ins: which elements this use case really counts is not public. A record is made"
            " of any text in the same way."
        ),
        "not_in_dictionary": _(
            "A device reports nothing: this is none of the elements that are counted here. Choose one of the"
            " suggestions."
        ),
        "public": _("Devices know all elements of this use case, so these are public."),
        "public_other": _(
            "Devices know all elements of this use case, so these are public. This is none of them, and is reported as"
            " “anything else”."
        ),
        "own_words": _("A device leaves out words of its own dictionary. This page has none, and reports every word."),
    }
