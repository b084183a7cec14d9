"""Repeats a deck from its seed (docs/fair-dealing.md), and ranks hands (the rule books)."""
from tlog import need


# --- The deck (docs/fair-dealing.md) ----------------------------------------------------------

def chacha8_draws(seed):
    """Yields the first 96 numbers of ChaCha8Rand; a deck takes 51, and all but never more."""
    key = [int.from_bytes(seed[i:i + 4], "little") for i in range(0, 32, 4)]

    def quarter(s, a, b, c, d):
        for p, q, r, n in (a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7):
            s[p] = (s[p] + s[q]) & 0xFFFFFFFF
            x = s[r] ^ s[p]
            s[r] = (x << n | x >> 32 - n) & 0xFFFFFFFF

    for first in 0, 4, 8:
        four = []
        for counter in range(first, first + 4):
            s = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574] + key + [counter, 0, 0, 0]
            for _ in range(4):
                for i in range(4):
                    quarter(s, i, 4 + i, 8 + i, 12 + i)
                for i in range(4):
                    quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
            four.append(s[:4] + [s[4 + i] + key[i] & 0xFFFFFFFF for i in range(8)] + s[12:])
        words = [four[k][i] for i in range(16) for k in range(4)]
        yield from (words[i] | words[i + 1] << 32 for i in range(0, 64, 2))


def deck_of(seed):
    draws = chacha8_draws(seed)
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    for n in range(52, 1, -1):
        x = next(draws)
        while x < 2**64 % n:
            x = next(draws)
        deck[x % n], deck[n - 1] = deck[n - 1], deck[x % n]
    return deck


# --- Hands (the rule books) -------------------------------------------------------------------

CLASSES = ["high card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush"]  # the lowest first


def poker_rank(hand):
    """Returns what hands of the poker books are compared by: the class, then the ranks."""
    ranks = sorted(("23456789TJQKA".index(c[0]) + 2 for c in hand), reverse=True)
    ranks = [3, 2, 1] if ranks == [14, 3, 2] else ranks
    if len(set(ranks)) == 2:  # the pair is the card in the middle
        return 1, ranks[1], ranks[0] + ranks[2] - ranks[1]
    straight, flush = ranks[0] - 1 == ranks[1] == ranks[2] + 1, len({c[1] for c in hand}) == 1
    return 4 if len(set(ranks)) == 1 else 3 * straight + 2 * flush, *ranks


def highest_card_rank(hand):
    """Returns what hands are compared by where of two flushes the highest card alone decides."""
    rank = poker_rank(hand)
    return rank[:2] if CLASSES[rank[0]] == "flush" else rank


def points(hand):
    return sum(0 if c[0] in "TJQK" else 1 if c[0] == "A" else int(c[0]) for c in hand) % 10


def pictures(hand):
    return sum(c[0] in "JQK" for c in hand)


def pictures_rank(hand):
    """Returns what hands of Royal Three Pictures are compared by."""
    return (10, 3) if pictures(hand) == 3 else (points(hand), pictures(hand))


def makes(combo, hand):
    """Reports whether a hand is of a row of a pay table (declaration.md)."""
    if combo in CLASSES:
        return CLASSES[poker_rank(hand)[0]] == combo
    ranks, count = "".join(sorted(c[0] for c in hand)), pictures(hand)
    suited = ranks == "AKQ" and len({c[1] for c in hand}) == 1
    pair = count == 2 and any(ranks.count(r) == 2 for r in "JQK")
    made = {"any-hand": True, "akq-suited": suited, "akq-spades": suited and hand[0][1] == "s",
            "three-kings": ranks == "KKK", "three-queens": ranks == "QQQ", "three-jacks": ranks == "JJJ",
            "three-pictures": count == 3, "picture-pair": pair, "any-king": ranks.count("K") == 1 and count < 3,
            "six-points": points(hand) == 6 and count < 3}
    need(combo in made, "terms", f"this program does not know which hands are {combo}")
    return made[combo]
