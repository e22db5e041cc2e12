"""The keys of all words, as a type; the two halves are written by `tests/text/write_keys.py`."""

from app.text.keys_first import FirstKey
from app.text.keys_second import SecondKey

Key = FirstKey | SecondKey
