"""Numbers as people read them, the same in both languages (STYLE 6, "Numbers")."""

_MILLION = 1_000_000


def tokens(count: int) -> str:
    """A number of tokens: `812`, `168.9k`, `1.05M`; 1k is 1,000 everywhere."""
    if count < 1_000:
        return str(count)
    tenths = (count + 50) // 100
    if tenths < 10_000:
        return f"{tenths // 10}.{tenths % 10}k"
    hundredths = (count + 5_000) // 10_000
    return f"{hundredths // 100}.{hundredths % 100:02}M"


def in_k(count: int) -> str:
    """A size in a list: `0.5k`, `48.2k`; from a million on as `tokens` has it."""
    return tokens(max(count, 0)) if count >= 1_000 else f"{rounded(max(count, 0), 100) / 10:.1f}k"


def percent(part: int, whole: int) -> int:
    """`part` of `whole` in hundredths, rounded half up; 0 of nothing."""
    return rounded(part * 100, whole) if whole > 0 else 0


def share(part: int, whole: int) -> str:
    """The same as people read it: `14%`, `< 1%` where it is more than nothing."""
    if 0 < part * 100 < whole:
        return "< 1%"
    return f"{percent(part, whole)}%"


def rounded(dividend: int, divisor: int) -> int:
    """The quotient of two whole numbers from 0 on, rounded half up."""
    return (2 * dividend + divisor) // (2 * divisor)


def ratio(value: float) -> str:
    """A share as a percentage with one decimal: 0.008 is `0.8%`."""
    return f"{value * 100:.1f}%"
