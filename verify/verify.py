#!/usr/bin/env python3
"""Verifies records of rounds that a house of Trey has played.

    verify.py [--key KEY] [--witness KEY] [--older CHECKPOINT] [--tiles FOLDER] RECORD...
    zstd -dc FOLDER/*.jsonl.zst | verify.py [--key KEY] [--witness KEY] [--older CHECKPOINT] --archive -

This program shares no code with Trey. It was written from docs/round-record.md, record.md,
record-events.md, declaration.md, fair-dealing.md and rulings.md, from the rule books, and from
the public specifications of C2SP (signed-note, tlog-checkpoint, tlog-cosignature, tlog-proof,
tlog-tiles, chacha8rand), for the standard library of Python 3.11 alone.

It repeats the deck from the seeds, ranks the hands, settles every wager once more from cards,
stakes and terms, and adds the money up. What a person ruled on an irregularity it takes from
the events, and says so. Exit status: 0 proven, 1 failed, 2 cannot be read.

It has some 1,000 lines, and not the 600 that were meant: 180 are the public specifications
(Ed25519, notes, trees), 130 deck, hands and terms, 370 what happens to the stakes and the
jackpot in all five books with every correction, 220 records and archives, 85 the command.
Less would be either denser or prove less.
"""
import argparse
import base64
import hashlib
import hmac
import json
import math
import os
import sys
from collections import Counter
from datetime import datetime, timezone
from urllib.request import urlopen


class Failure(Exception):
    """Says what does not hold, and where."""


class Unreadable(Exception):
    """Says why a document cannot be read."""


def need(holds, place, text):
    if not holds:
        raise Failure(f"{place}: {text}")


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


# --- Ed25519 (RFC 8032); a point of the curve is X, Y, Z, T -----------------------------------

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add_points(a, b):
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    c, d = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    return (f - e) * (d - c) % P, (d + c) * (f + e) % P, (d - c) * (d + c) % P, (f - e) * (f + e) % P


def multiply_point(n, point):
    total = (0, 1, 1, 0)
    while n:
        total = add_points(total, point) if n & 1 else total
        point, n = add_points(point, point), n >> 1
    return total


def decode_point(data):
    """Returns the point that 32 bytes stand for, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def ed25519_verifies(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = decode_point(key), decode_point(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left, right = multiply_point(s, BASE), add_points(r, multiply_point(k, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


# --- Signed notes, checkpoints and cosignatures -----------------------------------------------

ED25519, COSIGNATURE = 1, 4  # the kinds of keys


def decode_base64(text, place, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        data = None
    need(data is not None and len(data) == (length or len(data)), place, f"{text[:60]!r} is not base64, or not {length} bytes")
    return data


class Key:
    """A key that verifies, written as NAME+ID+BASE64 (signed-note)."""

    def __init__(self, text):
        try:
            self.name, number, material = text.strip().split("+", 2)
            material = base64.b64decode(material, validate=True)
            self.kind, self.key, self.id = material[0], material[1:], bytes.fromhex(number)
            sound = self.kind in (ED25519, COSIGNATURE) and len(self.key) == 32
            sound = sound and sha256(self.name.encode() + b"\n" + material)[:4] == self.id
        except (ValueError, IndexError):
            sound = False
        if not sound:
            raise Unreadable(f"{text.strip()!r} is no key of Ed25519, NAME+ID+BASE64")

    def signed(self, checkpoint):
        """Returns what this key says of a checkpoint, or an empty text; a wrong signature fails."""
        said = ""
        for name, text in checkpoint.signatures:
            signature = decode_base64(text, checkpoint.place) if name == self.name else b""
            if signature[:4] == self.id:
                said, message, signature = f"signed by {name}", checkpoint.text.encode(), signature[4:]
                if self.kind == COSIGNATURE:
                    seconds, signature = int.from_bytes(signature[:8], "big"), signature[8:]
                    message = b"cosignature/v1\ntime %d\n" % seconds + message
                    said = f"witnessed by {name} at {datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
                need(ed25519_verifies(self.key, message, signature), checkpoint.place, f"the signature of {name} is wrong")
        return said


class Checkpoint:
    """The signed head of a tree: origin, size and root (tlog-checkpoint)."""

    def __init__(self, note, place):
        text, blank, below = note.rpartition("\n\n")
        need(blank and below.endswith("\n"), place, "it is no signed note")
        self.text, self.place = text + "\n", place
        parts = [line.split(" ") for line in below[:-1].split("\n")]
        need(all(len(p) == 3 and p[0] == "\N{EM DASH}" for p in parts), place, "a signature is not written as one")
        self.signatures = [p[1:] for p in parts]
        lines = text.split("\n")
        need(len(lines) >= 3 and all(lines), place, "it is no checkpoint of three lines")
        need(lines[1].isascii() and lines[1].isdigit() and str(int(lines[1])) == lines[1], place, f"{lines[1]!r} is no size")
        self.origin, self.size, self.root = lines[0], int(lines[1]), decode_base64(lines[2], place, 32)

    def verify(self, house, witnesses):
        """Verifies the signatures of the keys given, and returns what they say."""
        said = [k.signed(self) for k in house if k.name == self.origin]
        need(not house or any(said), self.place, "the key of the house did not sign it")
        for key in witnesses:
            said.append(key.signed(self))
            need(said[-1], self.place, f"{key.name} did not cosign it")
        return [s for s in said if s] if house else [f"not signed by a house you know ({self.origin})"] + said


# --- The Merkle tree (RFC 6962) ---------------------------------------------------------------

def node_hash(left, right):
    return sha256(b"\1" + left + right)


def left_part(size):
    """Returns how many leaves of a tree lie in its left half, which is full."""
    return 1 << (size - 1).bit_length() - 1


def root_of(hashes):
    if len(hashes) == 1:
        return hashes[0]
    half = left_part(len(hashes))
    return node_hash(root_of(hashes[:half]), root_of(hashes[half:]))


def inclusion_root(leaf, index, size, proof):
    """Returns the root that a proof of inclusion leads to, and takes the proof."""
    if size == 1:
        return leaf
    half, sibling = left_part(size), proof.pop()
    if index < half:
        return node_hash(inclusion_root(leaf, index, half, proof), sibling)
    return node_hash(sibling, inclusion_root(leaf, index - half, size - half, proof))


def verify_inclusion(leaf, index, checkpoint, proof):
    proof, place = list(proof), checkpoint.place
    need(0 <= index < checkpoint.size, place, f"leaf {index} is not in a tree of {checkpoint.size}")
    try:
        root = inclusion_root(leaf, index, checkpoint.size, proof)
    except IndexError:
        root = None
    need(root == checkpoint.root and not proof, place, f"leaf {index} is another in this tree")


def tile_hash(read, level, index, size):
    """Returns the hash over 2**level leaves, the index-th such, of a tree of a size (tlog-tiles)."""
    row, within = divmod(level, 8)
    (n, at), width = divmod(index << within, 256), size >> 8 * row
    path, width, rest = f"{n % 1000:03d}", min(256, width - 256 * n), n // 1000
    while rest:
        path, rest = f"x{rest % 1000:03d}/{path}", rest // 1000
    data = read(f"tile/{row}/{path}" + (f".p/{width}" if width < 256 else ""))
    need(len(data) == 32 * width, f"tile/{row}/{path}", f"it has {len(data)} bytes and not {32 * width}")
    return root_of([data[32 * i:32 * i + 32] for i in range(at, at + (1 << within))])


def tiles_root(read, first, count, size):
    """Returns the root over leaves of a tree of a size, from its tiles."""
    if count & count - 1 == 0:
        return tile_hash(read, count.bit_length() - 1, first // count, size)
    half = left_part(count)
    return node_hash(tiles_root(read, first, half, size), tiles_root(read, first + half, count - half, size))


def verify_consistency(read, checkpoints):
    """Verifies that checkpoints are of one tree that only grew: the tiles of the largest have the root of each."""
    size = max(c.size for c in checkpoints)
    for c in checkpoints:
        need(c.origin == checkpoints[0].origin, c.place, f"it is of another tree than {checkpoints[0].origin}")
        need(c.size and tiles_root(read, 0, c.size, size) == c.root, c.place, "the tiles have another root: two histories")


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


# --- Hands ------------------------------------------------------------------------------------

HIGH_CARD, PAIR, FLUSH, STRAIGHT, TRIPS, STRAIGHT_FLUSH = range(6)


def poker_rank(hand):
    """Returns what hands of the poker books are compared by: the class, then the ranks."""
    ranks = sorted(("23456789TJQKA".index(c[0]) + 2 for c in hand), reverse=True)
    ranks = [3, 2, 1] if ranks == [14, 3, 2] else ranks
    if len(set(ranks)) == 2:  # the pair is the card in the middle
        return PAIR, ranks[1], ranks[0] + ranks[2] - ranks[1]
    straight, flush = ranks[0] - 1 == ranks[1] == ranks[2] + 1, len({c[1] for c in hand}) == 1
    kind = STRAIGHT_FLUSH if straight and flush else STRAIGHT if straight else FLUSH if flush else HIGH_CARD
    return TRIPS if len(set(ranks)) == 1 else kind, *ranks


def points(hand):
    return sum({"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}.get(c[0]) if c[0] in "ATJQK" else int(c[0]) for c in hand) % 10


def pictures(hand):
    return sum(c[0] in "JQK" for c in hand)


def pictures_rank(hand):
    """Returns what hands of Royal Three Pictures are compared by."""
    return (10, 3) if pictures(hand) == 3 else (points(hand), pictures(hand))


def makes(combo, hand):
    """Reports whether a hand is of a row of a pay table."""
    ranks, kings = "".join(sorted(c[0] for c in hand)), sum(c[0] == "K" for c in hand)
    classes = {"pair": PAIR, "flush": FLUSH, "straight": STRAIGHT, "three-of-a-kind": TRIPS, "straight-flush": STRAIGHT_FLUSH}
    if combo in classes:
        return poker_rank(hand)[0] == classes[combo]
    if combo.startswith("akq"):
        return ranks == "AKQ" and len({c[1] for c in hand}) == 1 and (combo == "akq-suited" or hand[0][1] == "s")
    two = pictures(hand) == 2 and any(ranks.count(r) == 2 for r in "JQK")
    return {"any-hand": True, "three-kings": ranks == "KKK", "three-queens": ranks == "QQQ", "three-jacks": ranks == "JJJ",
            "three-pictures": pictures(hand) == 3, "picture-pair": two, "any-king": kings == 1 and pictures(hand) < 3,
            "six-points": points(hand) == 6 and pictures(hand) < 3}[combo]


# --- The rules by which the round was played (docs/declaration.md) ----------------------------

def parse(text, place):
    """Reads JSON without fractions, and without a key that is there twice."""
    def fraction(number):
        raise ValueError(f"{number} is no whole number")

    def members(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError(f"a key is there twice among {[k for k, _ in pairs]}")
        return dict(pairs)

    try:
        return json.loads(text, parse_float=fraction, parse_constant=fraction, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{place}: {error}") from None


class Rules:
    """The declaration of the book and the terms of the table, as the record carries them."""

    def __init__(self, record):
        need(sha256(record["terms"]).hex() == record["rules_hash"], "terms", "they have another hash than rules_hash")
        terms, self.book = parse(record["terms"], "terms"), parse(record["declaration"], "declaration")
        need(sha256(record["declaration"]).hex() == terms["book_hash"], "declaration", "the terms name another one")
        forms = terms["form"], self.book["form"]
        need(forms == ("trey terms 1", "trey book 1"), "terms", f"they are of another form: {forms}")
        name = self.book["book"] + ("@" + self.book["edition"] if "edition" in self.book else "")
        need(record["book"] == terms["book"] == name, "book", f"the declaration is of {name}")
        self.rulings, self.rounding = terms["rulings"], terms["rounding"]
        self.rank = {"poker": poker_rank, "pictures": pictures_rank}[self.book["ranking"]]
        self.wagers = {w["wager"]: w for w in self.book["wagers"]}
        self.limits = {w["wager"]: w["limit"] for w in terms["wagers"]}
        self.rows = {w["wager"]: w["pays"]["rows"] for w in terms["wagers"]}

    def row(self, wager, hand):
        """Returns the row of the pay table for a hand: the first that it makes."""
        return next((r for r in self.rows[wager] if makes(r["combo"], hand)), None)

    def winnings(self, stake, row):
        """Returns what a stake wins by odds, rounded as the terms say."""
        amount, unit = stake * row["to"], row["for"] * self.rounding["unit"]
        return self.rounding["unit"] * (-(-amount // unit) if self.rounding["favour"] == "player" else amount // unit)

    def qualifies(self, dealer):
        return "qualify" not in self.book or self.rank(dealer) >= self.rank(self.book["qualify"]["least"].split())

    def contest(self, hand, dealer):
        mine, theirs = self.rank(hand), self.rank(dealer)
        return "win" if mine > theirs else "lose" if mine < theirs else "push"


# --- What happens at the table ----------------------------------------------------------------

class Table:
    """Cards, stakes and money of one round, followed event by event."""

    def __init__(self, record, rules, deck):
        self.rules, self.name, self.round, self.jackpot = rules, record["table"], record["round"], record.get("jackpot")
        self.layout, self.settled, self.paid = {}, {}, Counter()  # by box, player and wager
        self.decisions, self.hidden, self.gone, self.cards, self.deck = {}, set(), set(), [], deck
        self.phase, self.lines, self.contributing, self.postings, self.ruled = "new", 0, 0, [], []

    def post(self, source, target, amount, reason, **more):
        about = {"reason": reason, "table": self.name, "round": self.round} | {k: v for k, v in more.items() if v}
        self.postings += [{"from": source, "to": target, "amount": amount, "for": about}] if amount else []

    def hand(self, place):
        """Returns the three cards at a place, or None if they are not known."""
        cards = [c["card"] for c in self.cards if c["place"] == str(place)]
        return cards if len(cards) == 3 and "??" not in cards else None

    def follow(self, event, place):
        """Follows one event; events without a method change neither cards nor money."""
        getattr(self, "on_" + event["kind"].replace("-", "_"), lambda body, place: None)(event["body"], place)

    def on_bets_opened(self, body, place):
        need(self.phase == "new" and body["round"] == self.round, place, "the round begins twice, or it is another")
        self.phase = "betting"

    def on_bets_closed(self, body, place):
        need(self.phase == "betting", place, "the bets are not open")
        self.phase = "play"

    def on_table_closed(self, body, place):
        need(not self.layout, place, "bets lie on the layout")
        self.phase = self.phase if self.phase in ("settled", "void") else "closed"

    def lay(self, body, place, reason, amount):
        """Sets a wager on the layout to an amount, by what its player lays down or takes back."""
        key = body["box"], body["player"], body["wager"]
        change = amount - self.layout.pop(key, 0)
        accounts = ["player:" + key[1], "layout:" + self.name]
        self.post(*(accounts if change > 0 else accounts[::-1]), abs(change), reason, box=key[0], wager=key[2], clause=body.get("clause"))
        self.layout |= {key: amount} if amount else {}

    def on_bet_placed(self, body, place):
        need(self.phase == "betting" and body["amount"] > 0, place, "no bet can be placed")
        self.lay(body, place, "bet", body["amount"] + self.layout.get((body["box"], body["player"], body["wager"]), 0))

    def on_stake_found(self, body, place):
        self.lay(body, place, "found", body["amount"])

    def decide(self, body, place, decision):
        need(self.phase != "new" and body["box"] not in self.decisions, place, f"box {body['box']} has decided")
        self.decisions[body["box"]] = decision

    def on_hand_raised(self, body, place):
        self.decide(body, place, "played")
        basis = self.layout.get((body["box"], body["player"], self.rules.wagers[body["wager"]]["basis"]))
        need(body["amount"] == basis, place, f"{body['amount']} is not the {basis} on which it rests")
        self.lay(body, place, "bet", body["amount"])

    def on_hand_folded(self, body, place):
        self.decide(body, place, "folded")

    def on_decision_restored(self, body, place):
        need(self.decisions.pop(body["box"], None) == body["was"], place, "that was not the decision")
        self.give_back(body, place)

    def on_cards_dealt(self, body, place):
        for card in body["cards"]:
            known = card["card"] != "??"
            need(not known or card["card"] not in (c["card"] for c in self.cards), place, f"{card['card']} is dealt twice")
            need(not known or not self.deck or card["card"] == self.deck.pop(0), place, f"{card['card']} is not the next of the deck")
            self.cards.append(dict(card))

    def on_cards_moved(self, body, place):
        self.ruled.append(body["clause"])
        for move in body["moves"]:
            self.cards[move["slot"]]["place"] = move["to"]

    def on_cards_exposed(self, body, place):
        for slot, card in zip(body["slots"], body["cards"], strict=True):
            lies = self.cards[slot]["card"]
            need(body.get("corrected") or lies in ("??", card), place, f"{lies} lies there, and not {card}")
            self.cards[slot]["card"] = card

    def on_hand_shown(self, body, place):
        """Names the cards at a place, those that are not known yet in their order."""
        lie, left = [c for c in self.cards if c["place"] == body["place"]], list(body["hand"])
        need(len(lie) == len(set(left)) == 3, place, "it is no hand of three cards")
        for card in lie:
            need(card["card"] == "??" or card["card"] in left, place, f"{card['card']} was dealt there")
            left = [c for c in left if c != card["card"]]
        for card in lie:
            card["card"] = left.pop(0) if card["card"] == "??" else card["card"]
        known = [c["card"] for c in self.cards if c["card"] != "??"]
        need(len(set(known)) == len(known), place, "a card lies in two places")
        self.hidden.discard(body["place"])

    def on_hand_kept_down(self, body, place):
        self.hidden.add(str(body["box"]))

    def on_dealer_shown(self, body, place):
        self.on_hand_shown(body | {"place": "dealer"}, place)
        need(body["qualifies"] == self.rules.qualifies(body["hand"]), place, f"does {' '.join(body['hand'])} qualify?")

    # What is due: every line is worked out from cards, stakes and terms.

    def at_risk(self, key, stake, stakes):
        """Returns how much of a stake counts, and the clause that says so if it is another than lies there."""
        rule, bets, limit, clause = self.rules.wagers[key[2]], self.rules.book["bets"], self.rules.limits[key[2]], None
        if rule["stake"] == "equal-to-basis":
            basis, limit = stakes.get((*key[:2], rule["basis"]), 0), self.rules.limits[rule["basis"]]
            clause = bets.get("play_under") if stake < basis else bets.get("play_over") if stake > basis else None
            stake = min(stake, basis) if clause else stake
        if stake > limit["max"] > 0 and "over_after" in bets:
            stake, clause = limit["max"], clause or bets["over_after"]
        return stake, clause

    def even_beside(self, rule, key, stakes, hand):
        """Reports whether a win is paid as any hand, because a wager beside it is paid for the same hand."""
        beside = rule.get("even_beside")
        if not beside or not stakes.get((*key[:2], beside)) or self.rules.rulings[rule["even_ruling"]] != "no":
            return False
        return self.rules.row(beside, hand) is not None

    def line_of(self, key, stake, stakes):
        """Returns the line that settles a wager, or None if a bonus is not won."""
        rules, (box, player, wager), rulings = self.rules, key, self.rules.rulings
        rule, hand, dealer, folded = rules.wagers[wager], self.hand(box), self.hand("dealer"), self.decisions.get(box) == "folded"
        clauses, (risk, odd) = rule.get("clauses", {}), self.at_risk(key, stake, stakes)

        def line(result, clause, pays=0, keeps=True, row=None):
            back = {"win": stake if keeps else stake - risk, "push": stake, "returned": stake, "lose": stake - risk}[result]
            ends = {"box": box, "player": player, "wager": wager, "stake": stake, "result": result, "pays": pays,
                    "returned": back + pays, "clause": odd or clause}
            return ends | ({"combo": row["combo"]} if row else {}) | ({"excess": stake - risk} if risk < stake else {})

        if folded and "fold" in clauses and rulings.get(rule.get("fold_ruling")) != "kept":
            return line("lose", clauses["fold"])
        if folded and rule["contest"] == "riding":
            return None
        withheld = str(box) in self.hidden and not folded
        plays = rules.qualifies(dealer) or withheld and rulings.get("unrevealed_unqualified") == "not-paid"
        if rule["contest"] == "against-dealer" and not plays:
            paid = rule.get("paid_unqualified")
            even = withheld or rule.get("even_unqualified") or self.even_beside(rule, key, stakes, hand)
            won = rules.rows[wager][-1] if even else rules.row(wager, hand)
            return line("win" if paid else "push", clauses["unqualified"], rules.winnings(risk, won) if paid else 0)
        if rule["contest"] == "riding":
            row = None if withheld else rules.row(wager, hand)
            standoff = row and rules.qualifies(dealer) and rules.contest(hand, dealer) == "push"
            if not row or standoff and rulings.get("ante_bonus_on_standoff") == "not-paid":
                return None
            basis = (box, player, rule["basis"])
            return line("win", row["clause"], rules.winnings(self.at_risk(basis, stakes[basis], stakes)[0], row), row=row)
        if withheld:
            return line("returned" if rulings["unrevealed_hand"] == "returned" else "lose", clauses.get("unclaimed") or rules.book["examine"]["clauses"]["unrevealed"])
        row, result = rules.row(wager, hand), "win"
        if rule["contest"] == "against-dealer":
            result = rules.contest(hand, dealer)
            row = rules.rows[wager][-1] if self.even_beside(rule, key, stakes, hand) else row
        elif rule["contest"] == "equal-points":
            apart = rulings["tie_point_total"] == "apart" and (pictures(hand) == 3) != (pictures(dealer) == 3)
            result = "win" if points(hand) == points(dealer) and not apart else "lose"
        elif row:
            pays = rules.winnings(risk, row) if "to" in row else row["fixed"] if "fixed" in row else self.hits[box]["amount"]
            return line("win", row["clause"], pays, rulings.get(rule.get("stake_ruling")) != "kept-by-house", row)
        else:
            result = "lose"
        return line(result, clauses.get(result) or row["clause"], rules.winnings(risk, row) if result == "win" else 0)

    def lines_of(self, boxes):
        """Returns the lines that settle boxes, without the Envy Bonus."""
        stakes = {k: v for k, v in self.layout.items() if k[0] in boxes}
        bonuses = {(*k[:2], r["wager"]): 0 for r in self.rules.wagers.values() if r["contest"] == "riding"
                   for k in stakes if k[2] == r["basis"]}
        return [line for k, v in (stakes | bonuses).items() if (line := self.line_of(k, v, stakes))]

    def envy(self):
        """Returns the lines of the Envy Bonus: what a hand brings to the bets on other boxes."""
        rules, rule, lines, claimed = self.rules, self.rules.book.get("envy"), [], set()
        wager = next((w["wager"] for w in rules.book["wagers"] if w.get("envy")), None)
        stakes = {k: v for k, v in (self.settled | self.layout).items() if v and k[0] not in self.gone}

        def ruled(point, value):
            return rules.rulings.get((rule or {}).get(point + "_ruling")) == value

        def withheld(box):
            return str(box) in self.hidden and self.decisions.get(box) != "folded"

        for box, player in sorted({k[:2] for k in stakes}) if rule else ():
            row, folded = not withheld(box) and self.hand(box) and rules.row(wager, self.hand(box)), self.decisions.get(box) == "folded"
            if not row or "envy" not in row or folded and ruled("from_folded", "no") or not stakes.get((box, player, rule.get("needs", wager)), "needs" not in rule):
                continue
            for at, by, _ in sorted(k for k in stakes if k[2] == wager):
                lost = self.decisions.get(at) == "folded" and ruled("when_folded", "lost") or withheld(at) and rules.rulings.get("unrevealed_envy") == "lost"
                once = ("round", at, by) if ruled("per", "round") else (box, by) if ruled("two_bets", "player") else (box, at, by)
                if at != box and (by != player or ruled("own_boxes", "yes")) and not lost and once not in claimed:
                    claimed.add(once)
                    lines.append({"box": at, "player": by, "wager": "envy", "stake": 0, "result": "win", "pays": row["envy"],
                                  "returned": row["envy"], "clause": rule["clause"], "combo": row["combo"]})
        return lines

    def settle(self, lines, due, place):
        """Compares lines with those that are due, holds their order, and follows their money."""
        def key(line):
            return line["box"], line["player"], line["wager"], line.get("combo", "")

        for line, other in zip(sorted(lines, key=key), sorted(due, key=key)):
            need(line == other, place, f"{json.dumps(line)} should be {json.dumps(other)}")
        need(len(lines) == len(due), place, f"there are {len(lines)} lines, and {len(due)} are due")
        order, plain = self.rules.book["order"], [l for l in lines if l["wager"] != "envy"]
        for a, b in zip(plain, plain[1:]):
            step = (a["box"] - b["box"]) * (1 if order.get("from_right") else -1)
            same = a["player"] != b["player"] or order["wagers"].index(a["wager"]) < order["wagers"].index(b["wager"])
            need(step > 0 or step == 0 and same, place, f"{json.dumps(b)} is not in the order of payment")
        self.pay(lines, place)

    def on_settled(self, body, place):
        self.settle(body.get("lines", []), self.lines_of({k[0] for k in self.layout}) + self.envy(), place)
        need(not self.layout, place, f"{self.layout} is left on the layout")
        self.phase = "settled"

    def on_box_settled(self, body, place):
        self.settle(body["lines"], self.lines_of({body["box"]}), place)

    def on_forfeits_collected(self, body, place):
        self.settle(body["lines"], self.lines_of({b for b, d in self.decisions.items() if d == "folded"}), place)

    # Where the money goes.

    def pay(self, lines, place, award="winnings"):
        player_of, win, layout = "player:{}".format, "win:" + self.name, "layout:" + self.name
        for line in lines:
            self.lines += 1
            key, stake, pays, player = (line["box"], line["player"], line["wager"]), line["stake"], line["pays"], player_of(line["player"])
            lies, back, reverses = self.layout.get(key, 0), line["returned"] - pays, line.get("reverses", 0)
            need(0 <= back <= stake <= (lies or self.settled.get(key, 0)), place, f"{json.dumps(line)}: no such stake lies or lay there")
            need(0 <= reverses <= self.paid[key] and pays >= 0, place, f"{json.dumps(line)} collects more than was paid")
            more = dict(box=key[0], wager=key[2], line=self.lines, clause=line["clause"])
            self.post(layout if lies else win, player, back, "stake-returned", **more)
            if lies:
                self.post(layout, win, stake - back, "stake-won", **more)
                self.layout[key] = lies - stake
                self.layout = {k: v for k, v in self.layout.items() if v}
            final = line["result"] != "returned"
            self.settled[key] = self.settled.get(key, 0) + (stake if lies and final else 0 if lies else -stake)
            if any("meter_percent" in r and r["combo"] == line.get("combo") for r in self.rules.rows.get(key[2], [])):
                hit = self.hits[key[0]]
                self.post("meter:" + self.jackpot, player, hit["from_meter"], "jackpot-paid", jackpot=self.jackpot, **more)
                self.post("house", player, hit["from_house"], "made-good", jackpot=self.jackpot, **more)
            else:
                self.post(win, player, pays, award, **more)
            self.post(player, win, reverses, "collected", **more)
            self.paid[key] += (line["returned"] if final else 0) - reverses

    def give_back(self, body, place, due=None):
        """Follows lines by which stakes go back and payments are collected, as was ruled."""
        lines = body.get("lines", [])
        found = {}  # a wager has a line for each Envy Bonus
        for line in lines:
            key = line["box"], line["player"], line["wager"]
            stake, reverses = found.get(key, (0, 0))
            found[key] = stake + line["stake"], reverses + line.get("reverses", 0)
            plain = line["result"] == "returned" and line["stake"] == line["returned"] and not line["pays"]
            need(plain, place, f"{json.dumps(line)} is no stake that goes back")
        due = {k: v for k, v in due.items() if any(v)} if due is not None else found
        need(found == due, place, f"{found} goes back, and {due} is due")
        self.ruled.append(body["clause"])
        self.pay(lines, place)

    on_bets_returned = give_back

    def all_of(self, box=None):
        """Returns what lies or lay, and what was paid, for all wagers or those of a box."""
        keys = [k for k in {**self.layout, **self.settled, **self.paid} if box in (None, k[0])]
        return {k: (self.layout.get(k) or self.settled.get(k, 0), self.paid[k]) for k in keys}

    def on_round_voided(self, body, place):
        self.give_back(body, place, self.all_of())
        self.phase = "void"

    def on_hand_invalidated(self, body, place):
        due = self.all_of(body["box"])
        for line in body.get("lines", []):  # the Envy Bonuses that the hand has brought to others go back
            if line["box"] != body["box"] and line["wager"] == "envy":
                key = line["box"], line["player"], "envy"
                due[key] = 0, due.get(key, (0, 0))[1] + line["reverses"]
        self.gone.add(body["box"])
        self.give_back(body, place, due)

    def on_settlement_undone(self, body, place):
        due = {k: (0, v) for k, v in self.paid.items() if v and (k[0] == body["box"] or k[2] == "envy")}
        self.give_back(body, place, due)
        laid = {(body["box"], s["player"], s["wager"]): s["amount"] for s in body["stakes"]}
        need(laid == {k: v for k, v in self.settled.items() if k[0] == body["box"] and v}, place, f"{laid} is not what lay there")
        for key, amount in laid.items():
            self.post("win:" + self.name, "layout:" + self.name, amount, "relaid", box=key[0], wager=key[2], clause=body["clause"])
            self.layout[key], self.settled[key] = amount, 0
        self.phase = "play"

    def on_payment_corrected(self, body, place):
        self.ruled.append(body["clause"])
        self.pay(body["lines"], place, "awarded")


# --- The jackpot (docs/round-record.md, "The meter") ------------------------------------------

# What each event moves: from, to, the field with the amount, and the reason of the posting.
MOVES = {
    "contributed": [("win", "meter", "to_meter", "contribution"), ("win", "reserve", "to_reserve", "overflow")],
    "contributions-reversed": [("meter", "win", "from_meter", "contribution-returned"),
                               ("reserve", "win", "from_reserve", "contribution-returned")],
    "hit-paid": [("house", "meter", "reset_by_house", "reseed"), ("reserve", "meter", "reset_from_reserve", "reseed")],
    "hit-reversed": [("win", "meter", "to_meter", "collected"), ("win", "house", "to_house", "collected"),
                     ("meter", "house", "reset_to_house", "reseed"), ("meter", "reserve", "to_reserve", "reseed")],
}


def follow_jackpot(state, event, table, place):
    """Follows meter and reserve of a jackpot; what an event states is worked out by its terms."""
    body, kind, name = event["body"], event["kind"], table.jackpot
    need(state or kind == "round-closed", place, "the record does not say how the jackpot stood")

    def due(field, amount):
        need(body[field] == amount, place, f"{kind}: {field} is {body[field]} and should be {amount}")

    def parts(stake):  # a contribution, in parts of the denominator
        return stake * state["terms"]["rate"]["num"] * state["denominator"] // state["terms"]["rate"]["den"]

    if kind == "contributed":
        least = 1 if table.rules.rulings.get("low_progressive") == "stands" else state["terms"]["bet"]
        table.contributing, before = sum(v >= least for k, v in table.layout.items() if k[2] == "progressive"), table.contributing
        due("bets", table.contributing - before)
        due("stake", body["bets"] * state["terms"]["bet"])
        total, state["remainder"] = divmod(parts(body["stake"]) + state["remainder"], state["denominator"])
        due("to_meter", min(total, max(0, state["terms"]["ceiling"] - state["meter"])))
        due("to_reserve", total - body["to_meter"])
    elif kind == "contributions-reversed":
        table.contributing -= body["bets"]
        total = body["from_reserve"] + body["from_meter"] + body["from_house"]
        state["remainder"] += total * state["denominator"] - parts(body["stake"])
        if body["from_house"]:  # made good by the house, perhaps by terms that are not in force any more
            state["remainder"] = body["balance"]["remainder"]
    elif kind == "hit-paid":
        if not state["down"] or body["amount"] != state["registered"]:  # of two hits while it is down, the second may get the reset value
            due("amount", state["meter"])
        due("from_meter", min(state["meter"], body["amount"]))
        due("from_house", body["amount"] - body["from_meter"])
        state["terms"] = terms = body.get("new_terms", state["terms"])
        denominator = math.lcm(state["denominator"], terms["rate"]["den"])
        state |= {"remainder": state["remainder"] * denominator // state["denominator"], "denominator": denominator}
        first = terms["overflow"] == "first"
        due("reset_from_reserve", min(state["reserve"], terms["reset"] if first else terms["ceiling"] - terms["reset"]))
        due("reset_by_house", terms["reset"] - (body["reset_from_reserve"] if first else 0))
        state["meter"] -= body["from_meter"]
    elif kind == "hit-reversed":
        due("to_house", body["amount"] - body["to_meter"])
    elif kind in ("system-went-down", "system-came-up"):
        state |= {"down": kind == "system-went-down", "registered": body.get("registered", 0)}
    of_hit = dict(box=body["hit"]["box"], wager="progressive") if "hit" in body else {}
    if "payable" in body:
        table.post("payable:" + name, "player:" + body["payable"], body["amount"], "released", jackpot=name, **of_hit)
    for source, target, field, reason in MOVES.get(kind, []):
        state |= {k: state[k] + (k == target) * body[field] - (k == source) * body[field] for k in ("meter", "reserve")}
        accounts = {"win": "win:" + table.name, "house": "house", "meter": "meter:" + name, "reserve": "reserve:" + name}
        table.post(accounts[source], accounts[target], body[field], reason, jackpot=name, **(of_hit if kind == "hit-reversed" else {}))
    if kind == "hit-paid" and body.get("held"):
        table.post("player:" + body["winner"], "payable:" + name, body["amount"], "held", jackpot=name, **of_hit)
    for field, amount in body.get("balance", {}).items():
        need(amount == state[field], place, f"{kind}: {field} is {amount} and should be {state[field]}")


# --- The record (docs/round-record.md) --------------------------------------------------------

# The event that has to follow from a command.
FOLLOWS = {"open-bets": "bets-opened", "close-bets": "bets-closed", "bet": "bet-placed", "raise": "hand-raised", "fold": "hand-folded",
           "examine": "hand-examined", "choose": "offer-answered", "answer": "question-answered", "keep-down": "hand-kept-down",
           "restrict-player": "player-restricted", "restrict-areas": "areas-restricted", "suspend-progressive": "progressive-suspended",
           "reveal": "dealer-shown", "add-seed": "seed-added", "deal": "cards-dealt", "show": "hand-shown", "lay-up": "hand-shown"}
FIELDS = ("type version table round ended book variant rules_hash declaration terms config jackpot carried seed steps names software proof",
          "seq at_ms by kind body meter events moved seeds postings")


def verify_command(step, place):
    """Holds a command against the events that followed from it: what both state has to be the same."""
    kind, body, by, events = step["kind"], step["body"], step["by"], step.get("events", []) + step.get("seeds", [])
    need(by["role"] != "player" or body.get("player", by["name"]) == by["name"], place, f"{by['name']} acts for {body.get('player')}")
    event = next((e["body"] for e in events if e["kind"] == FOLLOWS.get(kind)), None)
    need(event is not None or kind not in FOLLOWS, place, f"there is no {FOLLOWS.get(kind)}")
    for field, value in body.items() if event else ():
        if field == "hand":
            value, event = [], event | {"hand": [c for c in value if c != "??" and c not in event["hand"]]}
        elif field == "cards":
            value = [c["card"] for c in value]
            event = event | {"cards": [c["card"] for e in events if e["kind"] == "cards-dealt" for c in e["body"]["cards"]]}
        need(event.get(field, value) == value, place, f"{field}: {value} was asked for, and {event.get(field)} followed")
    need(kind != "bet" or event.get("entered_by", event["player"]) == by["name"], place, f"{by['name']} did not enter this bet")
    reports = [e["body"].get("report") or e["body"].get("question", {}).get("report") for e in events]
    need(kind != "report" or not any(reports) or body in reports, place, "something else was reported")


def verify_seeds(record):
    """Verifies the commitment and the seeds, and returns the deck."""
    seed, own, closed, shown = record["seed"], {}, False, None
    text = f"trey commitment 1\nround {record['round']}\nseed {seed['seed']}\ntable {record['table']}\n"
    need(sha256(text).hex() == seed["commitment"], "seed", "the commitment is not that of the seed")
    covered = seed["committed"]["seq"]
    if "checkpoint" in seed:
        covered = Checkpoint(seed["checkpoint"], "seed.checkpoint").size - 1
        need(covered >= seed["committed"]["seq"], "seed.checkpoint", "it does not hold the commitment")
    for n, step in enumerate(record["steps"]):
        place, kinds = f"steps[{n}]", [e["kind"] for e in step.get("events", [])]
        relies = step["kind"] in ("bet", "add-seed")
        need(not relies or covered < step.get("seq", math.inf), place, "somebody relied on the commitment before it was signed")
        closed = closed or "bets-closed" in kinds
        for event in step.get("seeds", []):
            body = event["body"]
            need(body["round"] == record["round"], place, "a seed of another round")
            if event["kind"] == "seed-added":
                need(not closed and body["player"] == step["by"]["name"], place, "a seed came too late, or from somebody else")
                own.pop(body.get("instead"), None)
                own[body["player"]] = body["text"]
            else:
                need(body["seed"] == seed["seed"] and shown is None, place, "another seed was revealed, or twice")
                need({"settled", "round-voided", "table-closed"} & set(kinds), place, "the seed was revealed before the end")
                shown = n
    need(shown is not None, "seed", "it was not revealed")
    listed = [(o["player"], o["text"]) for o in seed.get("own", [])]
    need(listed == sorted(own.items(), key=lambda o: o[0].encode()), "seed.own", "these are not the seeds that players added")
    lines = [f"own {len(p.encode())} {p} {len(t.encode())} {t}\n" for p, t in listed]
    return deck_of(sha256(f"trey deck 1\ncommitment {seed['commitment']}\nseed {seed['seed']}\n" + "".join(lines)))


def verify_postings(found, due, place):
    """Compares postings with those that the events make; what a player could not pay back is not known from them."""
    def total(postings, reason, side):
        return Counter({p[side]: sum(q["amount"] for q in postings if q["for"]["reason"] == reason and q[side] == p[side]) for p in postings})

    unpaid = total(found, "unpaid", "to")
    need(not unpaid - total(due, "collected", "from"), place, f"more is owed than was collected: {dict(unpaid)}")
    rest = [p | {"for": {k: v for k, v in p["for"].items() if k != "note"}} for p in found if p["for"]["reason"] != "unpaid"]
    for n, (a, b) in enumerate(zip(rest, due)):
        need(a == b, f"{place}, posting {n + 1}", f"{json.dumps(a)} should be {json.dumps(b)}")
    need(len(rest) == len(due), place, f"there are {len(rest)} postings, and the events make {len(due)}")


def verify_round(record):
    """Verifies one round by its rules, cards and money, and returns the clauses that people ruled by."""
    need((record.get("type"), record.get("version")) == ("round-record", 1), "type", "it is no round record of version 1")
    for fields, objects in zip(FIELDS, ([record], record["steps"])):
        unknown = {k for o in objects for k in o} - set(fields.split())
        need(not unknown, "record", f"it has fields that version 1 has not: {unknown}")
    steps, rules = record["steps"], Rules(record)
    virtual = record["config"]["cards"] == "virtual"
    need(virtual == ("seed" in record), "seed", "a virtual deck has a seed, and no other has one")
    table, meter = Table(record, rules, verify_seeds(record) if virtual else None), {}
    seqs, times = [s["seq"] for s in steps if "seq" in s], [s["at_ms"] for s in steps]
    need(all("seq" in s for s in steps[:-1]) and seqs == sorted(set(seqs)) and times == sorted(times), "steps", "the transactions are not in their order")
    for n, step in enumerate(steps):
        place = f"steps[{n}] {step['kind']}"
        verify_command(step, place)
        meter, table.postings = dict(step.get("meter", meter)), []
        table.hits = {e["body"]["hit"]["box"]: e["body"] for e in step.get("moved", []) if e["kind"] == "hit-paid"}
        for event in step.get("events", []):
            table.follow(event, f"{place}, {event['kind']}")
        for event in step.get("moved", []):
            follow_jackpot(meter, event, table, place)
        verify_postings(step.get("postings", []), table.postings, place)
    need(table.phase == record["ended"], "ended", f"the round is in the phase {table.phase}")
    need(not table.layout, "steps", f"{table.layout} is left on the layout")
    return table.ruled


def verify_proof(text, record, house, witnesses):
    """Verifies that a leaf of the house's record commits to this text; returns the checkpoint and what is said of it."""
    lines = record["proof"].split("\n")
    need(lines[0] == "c2sp.org/tlog-proof@v1" and "" in lines, "proof", "it is no proof of c2sp.org/tlog-proof@v1")
    end = lines.index("")
    extra, index = (l.partition(" ") for l in lines[1:3])
    need((extra[0], index[0]) == ("extra", "index") and index[2].isdigit(), "proof", "it has no extra line, or no index")
    opening, hashes = decode_base64(extra[2], "proof", 64), [decode_base64(l, "proof", 32) for l in lines[3:end]]
    checkpoint = Checkpoint("\n".join(lines[end + 1:]), "proof")
    committed = text[:text.rindex(',"names":{')] + "}"
    section = f"record table:{record['table']} {record['round']}\n{sha256(committed).hex()}"
    content = sha256(opening[32:] + sha256(b"trey section v1\n" + opening[:32] + section.encode()))
    leaf = f"trey transaction v1\n{index[2]}\n{record['steps'][-1]['at_ms']}\n{base64.b64encode(content).decode()}\n"
    verify_inclusion(sha256(b"\0" + leaf.encode()), int(index[2]), checkpoint, hashes)
    need(all(s.get("seq", 0) < int(index[2]) for s in record["steps"]), "proof", "its leaf is not behind all steps")
    if "checkpoint" in record.get("seed", {}):
        Checkpoint(record["seed"]["checkpoint"], "seed.checkpoint").verify(house, [])
    return checkpoint, [f"leaf {index[2]} of {checkpoint.size}"] + checkpoint.verify(house, witnesses)


# --- An archive (docs/record.md) ---------------------------------------------------------------

def members(text, place):
    """Yields the members of an object of JSON, or the elements of a list, each with the text of its value as it stands."""
    decoder, at, end = json.JSONDecoder(), 1, {"{": "}", "[": "]"}.get(text[:1])
    while text[at:at + 1] != end:
        key = None
        if end == "}":
            key, at = decoder.raw_decode(text, at)
            need(text[at:at + 1] == ":", place, "it has blanks")
            at += 1
        _, stop = decoder.raw_decode(text, at)
        yield key, text[at:stop]
        need(text[stop:stop + 1] in (",", end), place, "it is not written as a line of the record")
        at = stop + (text[stop] == ",")
    need(at == len(text) - 1, place, "something follows")


def section_hash(salt, place, name, text):
    salt = hmac.digest(salt, place.to_bytes(8, "big"), "sha256")
    return sha256(b"trey section v1\n" + salt + f"{name}\n{text}".encode())


def leaf_hash(text, place):
    """Returns number and leaf of a transaction as a line of an archive has it."""
    entry = dict(members(text, place))
    need(list(entry) == ["seq", "at_ms", "salt", "line"], place, "it is no transaction")
    salt, line = decode_base64(json.loads(entry["salt"]), place, 32), dict(members(entry["line"], place))
    need(set(line) <= {"cause", "key", "input", "postings", "parts"}, place, "it has a field that is not known")
    key = json.loads(line.get("input", '""')) + "\n" + json.loads(line["key"]) if "key" in line else ""
    sections, record = [("cause", line["cause"]), ("key", key), ("postings", line.get("postings", "[]"))], None
    for _, part in members(line.get("parts", "[]"), place):
        part = dict(members(part, place))
        stream, round_text = json.loads(part["stream"]), part.get("round", "0")
        sections.append((f"part {stream} {part.get('after', '0')} {round_text}", part.get("events", "[]")))
        if "record" in part:
            need(record is None, place, "it commits to two rounds")
            record = f"record {stream} {part['of_round']}", json.loads(part["record"])
    content = sha256(b"".join(section_hash(salt, i, *s) for i, s in enumerate(sections)))
    if record:
        content = sha256(content + section_hash(salt, len(sections), *record))
    leaf = f"trey transaction v1\n{entry['seq']}\n{entry['at_ms']}\n{base64.b64encode(content).decode()}\n"
    return int(entry["seq"]), sha256(b"\0" + leaf.encode())


def grown(proof, first, end, size, old):
    """Returns the roots of the leaves up to a size, and of all up to end, by a proof of consistency, and takes it."""
    if size == end:
        root = old if first == 0 else proof.pop()
        return root, root
    half, sibling = first + left_part(end - first), proof.pop()
    if size <= half:
        before, after = grown(proof, first, half, size, old)
        return before, node_hash(after, sibling)
    before, after = grown(proof, half, end, size, old)
    return node_hash(sibling, before), node_hash(sibling, after)


def verify_archive(lines, place, house, witnesses, older):
    """Verifies segments of an archive, from the first transaction on, and returns what is said of them."""
    headers, hashes = [], [b""]
    for text in lines:
        text, at = text.rstrip("\n"), f"{place}: transaction {len(hashes)}"
        if text.startswith('{"archive":'):
            header = parse(text, place)
            need(header["archive"] == "trey archive v1", at, "a segment of another form")
            need(header["first"] == len(hashes), at, f"a segment begins with {header['first']}")
            headers.append(header)
            continue
        need(headers, at, "no header of a segment stands before it")
        number, leaf = leaf_hash(text, at)
        need(number == len(hashes), at, f"it has the number {number}")
        hashes.append(leaf)
    need(headers and headers[-1]["last"] == len(hashes) - 1, place, "transactions are missing at the end")
    origin, said = headers[-1]["origin"], []
    hashes[0] = sha256(b"\0" + origin.encode())
    for header, after in zip(headers, headers[1:] + [None]):
        at, size = f"{place}: the segment to {header['last']}", header["last"] + 1
        need(after is None or after["first"] == size, at, f"the next one begins with {after and after['first']}")
        if header["origin"] != origin:
            continue  # the house went on from a copy, under another tree
        root = root_of(hashes[:size])
        need(decode_base64(header["root"], at, 32) == root, at, "its transactions have another root")
        checkpoint = Checkpoint(header["checkpoint"], at)
        need(checkpoint.origin == "trey-house/" + hashes[0].hex()[:32], at, "its checkpoint is of another house")
        proof = [decode_base64(h, at, 32) for h in header.get("growth", [])]
        try:
            roots = grown(proof, 0, checkpoint.size, size, root) if checkpoint.size >= size else None
        except IndexError:
            roots = None
        need(roots == (root, checkpoint.root) and not proof, at, "its checkpoint does not go on from it")
        said = checkpoint.verify(house, witnesses)
    for noted in older:
        noted.verify(house, [])
        need(noted.origin == checkpoint.origin, noted.place, "it is of another house")
        need(noted.size > len(hashes) or root_of(hashes[:noted.size]) == noted.root, noted.place, "the archive has another root: two histories")
        said.append(f"goes on from {noted.place}" if noted.size <= len(hashes) else f"{noted.place} is newer than the archive")
    return [f"transactions 1 to {len(hashes) - 1}"] + said


# --- The command ------------------------------------------------------------------------------

def records_of(text, path):
    """Yields the records of a file, and their texts: one document, or one a line."""
    lines = text.splitlines() or [text]
    for line in lines if all(l.startswith("{") and l.endswith("}") for l in lines) else [text]:
        record = parse(line, path)
        if not isinstance(record, dict):
            raise Unreadable(f"{path}: it is no object")
        yield record, line


def main(arguments):
    parser = argparse.ArgumentParser(prog="verify.py", description="Verifies records of rounds that a house of Trey has played.")
    parser.add_argument("records", nargs="*", metavar="RECORD", help="a file with the record of a round, or with one on each line")
    parser.add_argument("--key", action="append", default=[], help="the key of the house, or a file that holds it")
    parser.add_argument("--witness", action="append", default=[], help="the key of a witness that has to have cosigned")
    parser.add_argument("--older", action="append", default=[], help="a checkpoint that was noted before, with --tiles")
    parser.add_argument("--tiles", help="the folder or address under which the house's tree lies, such as http://HOUSE/log")
    parser.add_argument("--archive", metavar="FILE", help="segments of an archive, unpacked and one after the other; - is the standard input")
    options = parser.parse_args(arguments)
    if bool(options.records) == bool(options.archive):
        parser.error("name records, or an archive")
    if options.older and not options.tiles and not options.archive:
        parser.error("--older takes --tiles: the tree tells whether the record goes on from it")

    def content(path):
        try:
            with urlopen(path) if "://" in path else open(path, "rb") as file:
                return file.read()
        except OSError as error:
            raise Unreadable(f"{path}: {error}") from None

    def key(text):
        return Key(content(text).decode() if os.path.exists(text) else text)

    status = 0
    try:
        house, witnesses = [key(t) for t in options.key], [key(t) for t in options.witness]
        if options.archive:
            older = [Checkpoint(content(p).decode(), p) for p in options.older]
            try:
                with sys.stdin if options.archive == "-" else open(options.archive, encoding="utf-8", newline="\n") as file:
                    print("archive: proven; " + "; ".join(verify_archive(file, "archive", house, witnesses, older)))
            except Failure as failure:
                print(f"archive: FAILED at {failure}")
                status = 1
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                print(f"archive: FAILED: a line is missing something, or is of another kind: {error!r}")
                status = 1
            except OSError as error:
                raise Unreadable(f"{options.archive}: {error}") from None
        for path in options.records:
            for record, text in records_of(content(path).decode(), path):
                name, said = f"{path}: {record.get('table')} {record.get('round')}", []
                try:
                    ruled = verify_round(record)
                    if record.get("proof"):
                        checkpoint, said = verify_proof(text, record, house, witnesses)
                        older = [Checkpoint(content(p).decode(), p) for p in options.older]
                        for noted in older:
                            noted.verify(house, [])
                        if options.tiles:
                            verify_consistency(lambda tile: content(options.tiles.rstrip("/") + "/" + tile), older + [checkpoint])
                            said.append("goes on from the older checkpoints" if older else "as the tiles have it")
                    else:
                        need(not house and not witnesses, "proof", "there is none: no checkpoint covers the round yet")
                        said = ["not signed"]
                    said += ["by hand: nobody can tell the order of the cards"] if "seed" not in record else []
                    said += [f"settled as ruled under {', '.join(sorted(set(ruled)))}"] if ruled else []
                    print(f"{name}: proven; " + "; ".join(said))
                except Failure as failure:
                    print(f"{name}: FAILED at {failure}")
                    status = 1
                except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                    print(f"{name}: FAILED: a field is missing, or is of another kind: {error!r}")
                    status = 1
    except (Unreadable, UnicodeDecodeError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
