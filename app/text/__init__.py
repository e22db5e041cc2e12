"""Every word shown to people and to models, in English and Chinese.

`en.toml` and `zh.toml` hold the words; a key is `section.name`. A key with a twin `…_one` is used
for one of a thing (`words("count.turns", n=1)`). `Key` (its halves are written by
`python -m tests.text.write_keys`) lets the type checker refuse a key that does not exist.
"""

from app.text.keys import Key
from app.text.words import LANGUAGES, Language, Words, preferred_language

__all__ = ["LANGUAGES", "Key", "Language", "Words", "preferred_language"]
