#!/usr/bin/env python3
"""Verifies records of rounds that a house of Trey has played, and archives of its record.

    verify.py [--key KEY [--succession NOTES]] [--witness KEY] [--older CHECKPOINT] [--tiles FOLDER] RECORD...
    zstd -dc FOLDER/*.jsonl.zst | verify.py [--key KEY [--succession NOTES]] [--witness KEY] [--older CHECKPOINT] --archive -

This program shares no code with Trey. It was written from docs/round-record.md, record.md,
record-events.md, declaration.md, fair-dealing.md and rulings.md, from the rule books, and from
the public specifications of C2SP, for the standard library of Python 3.11 alone. Beside it lie
tlog.py: signatures and trees, cards.py: the deck and the hands, archive.py: segments of an archive.

It repeats the deck from the seeds, ranks the hands, settles every wager once more from cards,
stakes and the rules in the record, and adds the money up. What a person ruled on an irregularity
it takes from the events, and says so. Exit status: 0 proven, 1 failed, 2 cannot be read.

All four files have some 1,500 lines, and not the 600 that were meant. A third of this one is what
happens to stakes and money when something goes wrong: without it rounds as casinos play them
would not be proven. What version 1 has stands in tables at its beginning. Less would be denser,
or prove less.
"""
import argparse
import base64
import json
import math
import os
import re
import sys
from collections import Counter
from urllib.request import urlopen

sys.dont_write_bytecode = True  # leaves no folder of its own beside these files

from archive import verify_archive
from cards import deck_of, highest_card_rank, makes, pictures, pictures_rank, points, poker_rank
from tlog import COSIGNATURE, ED25519, Checkpoint, Failure, Key, Unreadable, decode_base64, need, parse, sha256, successors, verify_consistency, verify_inclusion


# --- What version 1 of a record has (record-events.md) ----------------------------------------

def table_of(text):
    """Reads a table: kinds that are alike, and between bars what holds of them."""
    rows = [[column.strip() for column in row.split("|")] for row in text.replace(";", "\n").split("\n") if "|" in row]
    return {kind: row[1:] for row in rows for kind in row[0].split()}


# Each command: who gives it (chips: staff too where chips lie on the layout), when, the event that has to follow, its fields.
COMMANDS = table_of("""
add-seed | player | new betting | seed-added | text;  open-bets | staff | new | bets-opened |;  close-bets | staff | betting | bets-closed |
bet | any | betting | bet-placed | box player wager amount standing?;  withdraw | any | betting | | box player wager
found | staff | betting play shown over | stake-found | box player wager amount at_call?;  deal | staff | play | cards-dealt | cards? skip_burn?
examine | chips | play | hand-examined | box player;  raise | chips | play | hand-raised | box player;  fold | chips | play | hand-folded | box player
lay-up | any | play | hand-shown | box hand?;  show | staff | play shown | hand-shown | box hand?;  keep-down | staff | shown | hand-kept-down | box
finish-deal | staff | play | |;  reveal | staff | play | dealer-shown | hand?;  settle | staff | shown | | box? meter? meters? pending?
report | staff | betting play shown over | | incident box? dealer? player? boxes? cards? lies? count? turned_later? order_lost? order_known? \
    before_look? looked? lasted_ms? wager? amount? counted? meter? round? active? note?
answer | staff | betting play shown over | question-answered | answer order? remedies?;  expire | staff | betting play shown | |
choose | chips | betting play shown | offer-answered | box? player return?;  ask-withdrawal | chips | play shown | question-asked | box player
restrict-player | staff | betting play shown over | player-restricted | player lift?;  open-table | staff | over | |
restrict-areas | staff | betting play shown over | areas-restricted | max;  close-table | staff | betting over | table-closed | anew?
suspend-progressive | staff | over | progressive-suspended | option boxes?;  restore-progressive | staff | over | progressive-restored |
""")
# From what an event at the table follows, and its fields: from a command, or (>) from what a report leads to, what is answered
# or found. >return is an option by which bets are taken back, >lies a report of how many cards lie somewhere.
EVENTS = table_of("""
table-opened | open-table close-table suspend-progressive |;  table-closed | close-table suspend-progressive | clause?
bets-opened | open-bets | round;  bets-closed | close-bets |;  announced | * | key clause? boxes? player? result? hand?
bet-placed | bet | box player wager amount standing? entered_by? clause?
bets-returned | withdraw close-bets found >found >not-honoured >invalidate >take-back >remedy >return | clause lines?
stake-found | found >found >not-honoured | box player wager amount clause;  minimum-advised | found >found | box player wager minimum clause
cards-dealt | deal report answer | at_ms cards?;  cards-drawn | deal report answer | cards?;  cards-exposed | report answer | slots? cards? corrected?
cards-moved | >move-hands >offer-affected >offer-all >restore-and-offer-all >remedy >lies | clause moves? ruled?
deal-finished | finish-deal report answer | place?;  hand-examined | examine | box player;  hand-raised | raise >remedy | box player wager amount
hand-folded | fold expire >fold >remedy | box player clause;  decision-restored | found >found >not-honoured >remedy | box player was clause lines?
dealer-shown | reveal | hand qualifies;  forfeits-collected | reveal | clause lines?;  hand-kept-down | keep-down | box clause
hand-shown | lay-up show reveal settle answer | place hand clause?;  player-warned | settle >found >not-honoured | player clause
settled | settle >found >not-honoured >invalidate >take-back >remedy >return | lines? meter?
box-settled | settle >found >not-honoured | box lines? meter?;  settlement-undone | report answer | box clause lines? stakes?
payment-corrected | >remedy | clause lines?;  hand-invalidated | >invalidate >take-back >remedy >return | box clause lines?
round-voided | >void | clause lines?;  reported | report found answer deal | report outcome clause boxes? due?
question-asked | report found answer deal ask-withdrawal | question;  question-answered | answer | key answer by order? clause remedies?
offers-made | >offer-affected >offer-all >restore-and-offer-all >offer-withdrawal | offers?
offer-answered | choose expire >fold >options-lapse | box? player return? unanswered? clause
player-restricted | restrict-player | player lift? clause;  areas-restricted | restrict-areas | max clause;  progressive-failed | report answer | registered clause
progressive-suspended | suspend-progressive | option boxes? clause;  progressive-restored | restore-progressive |
""")
# The fields of every other object: of what happens to the jackpot and the seed of a round, then by the field in which it stands.
MOVED = table_of("""
contributed | round bets stake to_meter to_reserve balance;  round-closed round-known | round;  round-dealt | round dealt
contributions-reversed | round bets cause stake from_reserve from_meter from_house balance
hit-registered | hit dealt late?;  hit-confirmed hit-reinstated | hit;  hit-forfeited | hit cause;  system-went-down | registered;  system-came-up | displayed
hit-paid | hit dealt amount from_meter from_house reset_by_house reset_from_reserve kept_registered? new_terms? winner? held? balance
hit-reversed | hit cause amount to_meter to_house reset_to_house to_reserve payable? balance
""")
SEEDS = table_of("seed-added | round player text instead?;  seed-revealed | round seed")
OBJECTS = table_of("""
record | type version table round ended book variant rules_hash declaration terms config jackpot? carried seed? steps names software proof
config | device cards chips?;  carried | warned? down? down_option? suspended? restricted? area_max?
seed | commitment committed checkpoint? seed own?;  committed | seq at_ms;  own | player text;  dealt latest_paid | at_ms sequence
steps | seq? at_ms by kind body meter? events? moved? seeds? postings?;  events moved seeds | kind body;  by | name role automatic?
postings | from to amount for;  for | reason table round box? wager? clause? line? jackpot?
meter | opened terms next_terms? meter reserve remainder denominator overflow_since_hit hits_paid latest_paid hits? undone? unverified? \
    down registered rounds? totals
terms next_terms new_terms | bet reset rate ceiling overflow verify_from?;  rate | num den;  balance | meter reserve remainder
round hit id | table round box?;  lines | box player wager stake result pays returned clause combo? excess? reverses?;  moves | slot to
stakes | player wager amount;  cards | card? place? meant? face_up? to? index?;  lies | place count meant?;  offers | box? player clause restored?
remedies | do box? player? wager? amount? decision? reason;  question | key role clause answers? report? by? confirmed? found?;  answers | key then clause
""") | {field: [COMMANDS[field][-1]] for field in ("report", "found")}
KINDS = {"steps": COMMANDS, "events": EVENTS, "moved": MOVED, "seeds": SEEDS}
FLAGS = set("""active anew at_call automatic before_look chips confirmed corrected counted dealer down face_up held kept_registered late lift
looked opened order_known order_lost pending qualifies restored return ruled skip_burn standing turned_later unanswered""".split())
ROLES = "guest player dealer pit-supervisor pit-manager shift-manager house".split()
# What can be reported where no hand deals and the deck is proven; and the words for one table of the book, of wrong deals.
WITH_SEED = "walked-away late-bet late-withdrawal mispaid interruption progressive-down hands-discussed uncovered".split()
MISDEALS = "card-exposed dealt-incorrectly wrong-count burn-missed dealing-error misdeal".split()


def verify_fields(name, value, fields, place):
    """Refuses an object that has not exactly the fields that there are, and what stands in it likewise."""
    optional, fields = {f[:-1] for f in fields.split() if f.endswith("?")}, {f.rstrip("?") for f in fields.split()}
    wrong = set(value) - fields | fields - optional - set(value)
    need(not wrong, place, f"it lacks fields, or has fields that version 1 has not: {sorted(wrong)}")
    for field, content in value.items():
        need((field in FLAGS) == isinstance(content, bool), f"{place}.{field}", f"{json.dumps(content)} is of another kind")
        if field == "body":
            need(value["kind"] in KINDS[name], place, f"version 1 has no {json.dumps(value['kind'])}")
            verify_fields(field, content, KINDS[name][value["kind"]][-1], f"{place} {value['kind']}")
        for n, inner in enumerate(content) if isinstance(content, list) else [("", content)]:
            if isinstance(inner, dict) and field in OBJECTS:
                verify_fields(field, inner, OBJECTS[field][0], f"{place}.{field}[{n}]".replace("[]", "").removeprefix("record."))


# --- The rules by which the round was played (declaration.md) ---------------------------------

def questions_of(book):
    """Yields every question that a book puts to a person: its key, the role, the clause and the answers."""
    for inner in book.values() if isinstance(book, dict) else book if isinstance(book, list) else ():
        yield from questions_of(inner)
    if isinstance(book, dict) and "answers" in book:
        yield book["question"], book["role"], book["clause"], [(a["answer"], a["then"], a["clause"]) for a in book["answers"]]


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
        self.rulings, self.rounding, self.bets = terms["rulings"], terms["rounding"], self.book["bets"]
        unknown = {w["contest"] for w in self.book["wagers"]} - {"against-dealer", "hand", "equal-points", "riding"}
        need(not unknown, "declaration", f"this program does not settle {sorted(unknown)}")
        self.rank = {"poker": poker_rank, "pictures": pictures_rank, "poker-highest-card": highest_card_rank}[self.book["ranking"]]
        self.wagers = {w["wager"]: w for w in self.book["wagers"]}
        self.limits = {w["wager"]: w["limit"] for w in terms["wagers"]}
        self.rows = {w["wager"]: w["pays"]["rows"] for w in terms["wagers"]}
        self.grace, self.questions = terms["grace_ms"], list(questions_of(self.book))

    def outcomes(self, report, table):
        """Returns what the book can make of a report, each with its clause: up to the first case that is known to hold."""
        incidents, found = {i["incident"]: i["cases"] for i in self.book["incidents"]}, []
        playing = table.phase in ("betting", "play")
        known = {"brief": report.get("lasted_ms", 0) < self.grace, "count-wrong": report.get("count") != 52, "no-round": not playing}
        known |= {"established": True} if table.moment() == "shown" else {} if playing else {"established": False}
        for case in incidents.get("misdeal" if report["incident"] in MISDEALS else report["incident"], incidents["uncovered"]):
            ruling = self.rulings.get(case.get("ruling"), case.get("value"))  # older terms do not name every ruling
            holds = [known.get(condition) for condition in case.get("when", [])] + [ruling == case.get("value")]
            if False not in holds:
                found.append((case["then"], case["clause"]))
            if set(holds) == {True}:
                break
        return found

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

    def at_risk(self, player, wager, stakes):
        """Returns how much of a stake counts, and the clause that says so if it is another than lies there."""
        rule, stake, limit, clause = self.wagers[wager], stakes[player, wager], self.limits[wager]["max"], None
        if rule["stake"] == "equal-to-basis":
            basis, limit = stakes.get((player, rule["basis"]), 0), self.limits[rule["basis"]]["max"]
            clause = self.bets.get("play_under" if stake < basis else "play_over" if stake > basis else None)
            stake = min(stake, basis) if clause else stake
        if stake > limit > 0 and "over_after" in self.bets:
            stake, clause = limit, clause or self.bets["over_after"]
        return stake, clause


# --- What happens at the table (record-events.md) ---------------------------------------------

class Table:
    """Cards, stakes and money of one round, followed event by event."""

    def __init__(self, record, rules, deck):
        self.rules, self.name, self.round, self.jackpot, self.deck = rules, record["table"], record["round"], record.get("jackpot"), deck
        self.layout, self.settled, self.paid = {}, {}, Counter()  # by box, player and wager
        self.players, self.decisions, self.hidden, self.gone, self.cards = {}, {}, set(), set(), []
        self.warned, self.low = set(record["carried"].get("warned", [])), set()
        self.phase, self.lines, self.postings, self.ruled = "new", 0, [], []
        self.counted, self.returned, self.accepted, self.hits, self.hit = set(), [], [], {}, {}  # bets and hands of the jackpot
        self.device, self.command, self.turned, self.schedule = record["config"]["device"], None, False, []
        self.chips, self.seen, self.ways = record["config"].get("chips"), False, set()
        self.questions, self.offers = [], set()  # those that are open

    def moment(self):
        """Returns how far the round is, as COMMANDS names it."""
        return "over" if self.phase in ("settled", "void", "closed") else "shown" if self.phase == "play" and self.turned else self.phase

    def post(self, source, target, amount, reason, **more):
        about = {"reason": reason, "table": self.name, "round": self.round} | {k: v for k, v in more.items() if v}
        self.postings += [{"from": source, "to": target, "amount": amount, "for": about}] if amount else []

    def hand(self, place):
        """Returns the three cards at a place, or None if they are not known."""
        cards = [c["card"] for c in self.cards if c["place"] == str(place)]
        return cards if len(cards) == 3 and "??" not in cards else None

    def begin(self, step):
        """Begins a step: nothing has followed from its command yet."""
        self.postings, self.returned, self.command, self.by = [], [], step["kind"], step["by"]["name"]
        self.stated, self.remedies = None, []  # what a stake is confirmed or known to be, and what an answer lists
        self.report = self.questions[-1].get("report", {}) if self.questions and step["kind"] == "answer" else step["body"]
        self.ways = {step["kind"]} | ({">lies"} if {"lies", "count"} & set(self.report) else set())
        self.hits = {e["body"]["hit"]["box"]: e["body"] for e in step.get("moved", []) if e["kind"] == "hit-paid"}
        self.paying = set(self.hits)  # the hits that have no line yet

    def end(self, step, meter, place):
        """Ends a step: every bet on the jackpot was counted once the bets are closed, and every hit that is paid has its line."""
        least = 1 if self.rules.rulings.get("low_progressive") == "stands" else meter["terms"]["bet"] if meter else 0
        laid = self.settled | (self.layout if self.phase == "play" else {})  # one that is found after the payment is settled at once
        bets = {k[:2] for k, v in laid.items() if k[2] == "progressive" and v >= max(1, least)}
        fresh, self.counted = bets - self.counted, self.counted | bets
        for kind, number in ("contributed", len(fresh)), ("contributions-reversed", len(self.returned)):
            counted = sum(e["body"]["bets"] for e in step.get("moved", []) if e["kind"] == kind)
            need(counted == number or not self.jackpot, place, f"{kind}: {counted} bets, and there are {number}")
        need(not self.paying, place, f"a hit is paid on boxes {self.paying}, and no line pays it")

    def follow(self, event, place):
        """Follows one event; events without a method change neither cards nor money."""
        sources = EVENTS[event["kind"]][0].split()
        need("*" in sources or self.ways & set(sources), place, f"it follows from {' or '.join(sources)}, and not from {self.command}")
        if ">remedy" in self.ways and ">remedy" in sources:
            body = event["body"]
            boxes = {body["box"]} if "box" in body else {line["box"] for line in body.get("lines", [])}
            need(boxes <= {remedy.get("box") for remedy in self.remedies}, place, f"no remedy is listed for each of the boxes {boxes}")
        getattr(self, "on_" + event["kind"].replace("-", "_"), lambda body, place: None)(event["body"], place)

    def withheld(self, box):
        """Reports whether a hand was played and is kept face down."""
        return str(box) in self.hidden and self.decisions.get(box) != "folded"

    def on_bets_opened(self, body, place):
        need(self.phase == "new" and body["round"] == self.round, place, "the round begins twice, or it is another")
        self.phase = "betting"

    def on_bets_closed(self, body, place):
        self.phase = "play"
        places = [str(box) for box in sorted({k[0] for k in self.layout})] + ["dealer"]
        device = next(d for d in self.rules.book["devices"] if d["device"] == self.device)
        burns = device.get("burn") or self.rules.rulings.get(device.get("burn_ruling")) == "yes"
        self.schedule = ["burn"] * bool(burns) + ([p for p in places for _ in range(3)] if device.get("packets") else 3 * places)

    def on_table_closed(self, body, place):
        self.phase = self.phase if self.phase in ("settled", "void") else "closed"

    def lay(self, body, place, reason, amount):
        """Sets a wager on the layout to an amount, by what its player lays down or takes back."""
        key = box, player, wager = body["box"], body["player"], body["wager"]
        change = amount - self.layout.pop(key, 0)
        accounts = ["player:" + player, "layout:" + self.name]
        self.post(*(accounts if change > 0 else accounts[::-1]), abs(change), reason, box=box, wager=wager, clause=body.get("clause"))
        self.layout |= {key: amount} if amount else {}
        order = self.players.setdefault(box, [])
        order += [player] if player not in order else []
        self.leave(box, player)

    def leave(self, box, player):
        """Takes a player who has nothing on a box any more out of its order, while bets are open."""
        if self.phase == "betting" and not any(k[:2] == (box, player) for k in self.layout):
            self.players[box].remove(player)

    def on_bet_placed(self, body, place):
        need(body["amount"] > 0, place, "it is no bet")
        self.lay(body, place, "bet", body["amount"] + self.layout.get((body["box"], body["player"], body["wager"]), 0))

    def on_stake_found(self, body, place):
        stated = {k: body[k] for k in ("box", "player", "wager", "amount")}
        free = self.command == "found" and (not self.seen or body["amount"] == self.layout.get((body["box"], body["player"], body["wager"]), 0))
        need(stated == self.stated or free, place, f"{self.stated} was stated, and cards have been seen")
        self.returned += [] if body["amount"] else self.uncounted(body)
        self.lay(body, place, "found", body["amount"])

    def uncounted(self, bet):
        """Returns a bet that goes back, if it was counted for the jackpot, and takes it out of those that are."""
        key = bet["box"], bet["player"]
        gone = {key} & self.counted if bet["wager"] == "progressive" else set()
        self.counted -= gone
        return list(gone)

    def on_question_asked(self, body, place):
        question = body["question"]
        answers = [(a["key"], a["then"], a["clause"]) for a in question["answers"]]
        listed = (question["key"], question["role"], question["clause"], answers) in self.rules.questions
        need(listed or question["key"] == "facts" and [a[0] for a in answers] == ["yes", "no"], place, "the book does not ask this")
        need(self.command not in ("report", "found") or question["by"]["name"] == self.by, place, f"{self.by} reported it, and nobody else")
        self.questions.append(question)

    def on_question_answered(self, body, place):
        need(self.questions, place, "no question is open")
        question, found = self.questions.pop(), None
        choice = next((a for a in question["answers"] if a["key"] == body["answer"]), {"clause": None})
        need((body["key"], body["clause"]) == (question["key"], choice["clause"]), place, "that is no answer to the question that is open")
        need(ROLES.index(body["by"]["role"]) >= ROLES.index(question["role"]) and body["by"]["name"] == self.by, place, f"a {question['role']} answers this")
        if question["key"] == "facts":
            need(self.by != question["by"]["name"], place, "nobody confirms their own report")
            found = question.get("found") if body["answer"] == "yes" else None
            self.ways |= {">found"} if found else set()
            if body["answer"] != "yes":  # what has failed all the same failed later than was said
                self.report = {k: v for k, v in self.report.items() if k != "before_look"}
        else:
            self.ways.add(">" + choice["then"])
        self.stated = {k: found[k] for k in ("box", "player", "wager", "amount")} if found else None
        self.remedies = body.get("remedies", [])

    def on_reported(self, body, place):
        report, outcome = body["report"], (body["outcome"], body["clause"])
        same = {**report, "order_known": 0, "order_lost": 0} == {**self.report, "order_known": 0, "order_lost": 0}  # of the order not all may be confirmed
        need(self.command not in ("report", "answer") or same, place, "something else was reported")
        need(self.deck is None or report["incident"] in WITH_SEED, place, f"{report['incident']} cannot happen where no hand deals")
        if report.get("round", self.round) < self.round:
            need(outcome[0] in ("stands", "ask"), place, "nothing changes an earlier round")
        elif self.command != "found":  # chips laid down or taken away too late change no stake
            need(outcome in self.rules.outcomes(report, self), place, f"the book does not make {' by '.join(outcome)} of {report['incident']}")
            self.ways.add(">" + outcome[0])
        if body["outcome"] == "not-honoured" and report.get("counted"):  # a late bet leaves what lay there before it
            key = report["box"], report["player"], report["wager"]
            lies = self.layout.get(key) or self.settled.get(key, 0)
            self.stated = dict(zip(("box", "player", "wager", "amount"), (*key, max(0, lies - report["amount"]))))

    def on_offers_made(self, body, place):
        self.offers |= {(offer.get("box"), offer["player"]) for offer in body.get("offers", [])}

    def on_offer_answered(self, body, place):
        offer = body.get("box"), body["player"]
        need(offer in self.offers, place, f"{body['player']} was offered nothing")
        self.offers.discard(offer)
        self.ways |= {">return"} if body.get("return") else set()

    def on_hand_examined(self, body, place):
        need((body["box"], body["player"]) in {k[:2] for k in self.layout}, place, f"{body['player']} has no bet there")
        self.seen = True

    def decide(self, body, place, decision):
        need(not self.turned or ">remedy" in self.ways, place, "nobody decides any more")
        need(body["box"] not in self.decisions, place, f"box {body['box']} has decided")
        need((body["box"], body["player"]) in {k[:2] for k in self.layout}, place, f"{body['player']} has no bet there")
        self.decisions[body["box"]] = decision

    def on_hand_raised(self, body, place):
        self.decide(body, place, "played")
        basis = self.layout.get((body["box"], body["player"], self.rules.wagers[body["wager"]]["basis"]))
        need(body["amount"] == basis, place, f"{body['amount']} is not the {basis} on which it rests")
        self.lay(body, place, "bet", body["amount"])

    def on_hand_folded(self, body, place):
        need(">fold" not in self.ways or body["player"] == self.report.get("player"), place, f"{body['player']} was not reported")
        self.decide(body, place, "folded")

    def on_decision_restored(self, body, place):
        need(self.decisions.pop(body["box"], None) == body["was"], place, "that was not the decision")
        self.give_back(body, place)

    def on_cards_dealt(self, body, place):
        need(self.phase not in ("new", "betting"), place, "the bets are open")
        for card in body.get("cards", []):
            known = card["card"] != "??"
            need(not known or card["card"] not in (c["card"] for c in self.cards), place, f"{card['card']} is dealt twice")
            if self.deck is not None:  # no hand can deal another card, nor to another place
                need(card["card"] == self.deck.pop(0), place, f"{card['card']} is not the next of the deck")
                self.schedule = [p for p in self.schedule if p not in map(str, self.gone)]
                to = self.schedule.pop(0) if self.schedule else "out"
                need(self.command == "deal" and card["place"] == to, place, f"{card['card']} goes to {to}, and not to {card['place']}")
            self.seen = self.seen or card.get("face_up", False)
            self.cards.append(dict(card))

    def on_cards_moved(self, body, place):
        need(self.deck is None, place, "cards of a deck that was committed to lie where they were dealt")
        self.ruled.append(body["clause"])
        for move in body.get("moves", []):
            card = self.cards[move["slot"]]
            self.turned = self.turned and "dealer" not in (card["place"], move["to"])  # another hand is turned once more
            card["place"] = move["to"]

    def on_cards_exposed(self, body, place):
        self.seen = True
        for slot, card in zip(body.get("slots", []), body.get("cards", []), strict=True):
            lies = self.cards[slot]["card"]
            need(body.get("corrected") and self.deck is None or lies in ("??", card), place, f"{lies} lies there, and not {card}")
            for other in self.cards:  # where another card was entered as this one, it is not known any more
                other["card"] = "??" if other["card"] == card else other["card"]
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
        need([c["card"] for c in lie] == body["hand"], place, "the cards of a hand stand in the order in which they were dealt")
        self.hidden.discard(body["place"])
        self.seen = True

    def on_hand_kept_down(self, body, place):
        need(not self.hand(body["box"]), place, "its cards are known")
        self.hidden.add(str(body["box"]))

    def forfeited(self):
        """Returns the folded boxes whose stakes lie there, but for those with a wager that the fold leaves in play."""
        return {k[0] for k in self.layout if self.decisions.get(k[0]) == "folded"} - {k[0] for k in self.layout if self.keeps(k[2])}

    def on_dealer_shown(self, body, place):
        self.turned, decides = True, self.rules.book.get("decision", {}).get("on")
        undecided = {k[0] for k in self.layout if k[2] == decides} - set(self.decisions) - self.gone
        need(not undecided, place, f"boxes {undecided} have not decided")
        need("folded_first" not in self.rules.book["order"] or not self.forfeited(), place, "folded bets lie there")
        self.on_hand_shown(body | {"place": "dealer"}, place)
        need(body["qualifies"] == self.rules.qualifies(body["hand"]), place, f"does {' '.join(body['hand'])} qualify?")

    # What is due (declaration.md, "How a wager is settled").

    def keeps(self, wager):
        """Reports whether a fold leaves a wager in play."""
        return self.rules.rulings.get(self.rules.wagers[wager].get("fold_ruling")) == "kept"

    def ends(self, box, player, wager, stakes):
        """Returns how a wager ends: its result, the clause, and the row for its hand; None where a bonus is not won."""
        rules, rulings, rule = self.rules, self.rules.rulings, self.rules.wagers[wager]
        clauses, against, riding = rule.get("clauses", {}), rule["contest"] == "against-dealer", rule["contest"] == "riding"
        hand, dealer, withheld = self.hand(box), self.hand("dealer"), self.withheld(box)
        if self.decisions.get(box) == "folded" and not self.keeps(wager):
            return None if riding else ("lose", clauses["fold"], None)
        even, row, beside = rules.rows[wager][-1], None if withheld else rules.row(wager, hand), rule.get("even_beside")
        if beside and stakes.get((player, beside)) and rulings[rule["even_ruling"]] == "no" and not withheld and rules.row(beside, hand):
            row = even  # the wager beside it is paid for the same hand
        plays = rules.qualifies(dealer) or withheld and rulings.get("unrevealed_unqualified") == "not-paid"
        if against and not plays:
            won = even if withheld or rule.get("even_unqualified") else row
            return "win" if rule.get("paid_unqualified") else "push", clauses["unqualified"], won
        if withheld:
            clause = clauses.get("unclaimed") or rules.book["examine"]["clauses"]["unrevealed"]
            return None if riding else ({"lost": "lose", "returned": "returned"}[rulings["unrevealed_hand"]], clause, None)
        result = rules.contest(hand, dealer)
        if riding and rulings.get("ante_bonus_on_standoff") == "not-paid" and result == "push" and rules.qualifies(dealer):
            return None
        if rule["contest"] == "equal-points":
            apart = rulings["tie_point_total"] == "apart" and (pictures(hand) == 3) != (pictures(dealer) == 3)
            result = "win" if points(hand) == points(dealer) and not apart else "lose"
        elif not against:
            result = "win" if row else "lose"
        return None if riding and not row else (result, clauses.get(result) or row["clause"], row)

    def line_of(self, box, player, wager, stakes):
        """Returns the line that settles a wager, or None."""
        rules, rule = self.rules, self.rules.wagers[wager]
        riding, stake = rule["contest"] == "riding", stakes.get((player, wager), 0)
        if not stakes.get((player, rule["basis"] if riding else wager)) or not (ends := self.ends(box, player, wager, stakes)):
            return None
        (result, clause, row), (risk, odd) = ends, rules.at_risk(player, rule["basis"] if riding else wager, stakes)
        pays, excess = 0, 0 if riding else stake - risk
        if result == "win":
            pays = row["fixed"] if "fixed" in row else rules.winnings(risk, row) if "to" in row else self.hits[box]["amount"] * row["meter_percent"] // 100
        kept = result == "lose" or result == "win" and rules.rulings.get(rule.get("stake_ruling")) == "kept-by-house"
        line = {"box": box, "player": player, "wager": wager, "stake": stake, "result": result, "pays": pays,
                "returned": pays + (excess if kept else stake), "clause": clause if riding else odd or clause}
        named = result == "win" and rule["contest"] in ("hand", "riding")
        return line | ({"combo": row["combo"]} if named else {}) | ({"excess": excess} if excess else {})

    def too_low(self, box, player, stakes, area):
        """Returns the wagers of a player below the minimum that go back, because one was settled before."""
        rules, back = self.rules, []
        for wager in rules.wagers if "under_once" in rules.bets else ():
            counts = [v for k, v in area.items() if k[1] == wager] if rules.rulings["limits_per"] == "area" else [stakes.get((player, wager), 0)]
            if (player, wager) in stakes and sum(counts) < rules.limits[wager]["min"]:
                one = rules.rulings["low_wagers_in_round"] == "one" and any(k[1] == player for k in self.low)
                if player in self.warned or one:
                    back.append(wager)
                else:
                    self.low.add((box, player, wager))
        return back

    def lines_of(self, boxes):
        """Returns the lines that settle boxes in the order of payment, without the Envy Bonus."""
        order, lines = self.rules.book["order"], []
        for box in sorted(boxes, reverse=bool(order.get("from_right"))):
            area = {k[1:]: v for k, v in self.layout.items() if k[0] == box}
            for player in self.players[box]:
                stakes = {k: v for k, v in area.items() if k[0] == player}
                for wager in self.too_low(box, player, stakes, area):
                    stake = stakes.pop((player, wager))
                    lines.append({"box": box, "player": player, "wager": wager, "stake": stake, "result": "returned", "pays": 0,
                                  "returned": stake, "clause": self.rules.bets["under_once"]})
                settled = [line for w in order["wagers"] if w != "envy" and (line := self.line_of(box, player, w, stakes))]
                if self.rules.rulings.get("low_standoff") == "no":
                    self.low -= {(box, player, line["wager"]) for line in settled if line["result"] == "push"}
                lines += settled
        return lines

    def envy(self):
        """Returns the lines of the Envy Bonus: what a hand brings to the bets on other boxes."""
        rules, rule, lines, hands, taken = self.rules, self.rules.book.get("envy", {}), [], {}, set()
        wager = next((w for w, r in rules.wagers.items() if r.get("envy")), None)
        bets = {k for k, v in (self.settled | self.layout).items() if v and k[0] not in self.gone} if rule else set()

        def ruled(point, value):
            return rules.rulings.get(rule.get(point + "_ruling")) == value

        for box in sorted({k[0] for k in bets}):
            folded = self.decisions.get(box) == "folded"
            seen = self.hand(box) and not self.withheld(box) and not (folded and ruled("from_folded", "no"))
            row = rules.row(wager, self.hand(box)) if seen else None
            if row and "envy" in row and ("needs" not in rule or any((k[0], k[2]) == (box, rule["needs"]) for k in bets)):
                hands[box] = row
        for box, player, _ in sorted(k for k in bets if k[2] == wager):
            lost = self.decisions.get(box) == "folded" and ruled("when_folded", "lost")
            lost = lost or self.withheld(box) and rules.rulings.get("unrevealed_envy") == "lost"
            brought = []
            for at, row in hands.items() if not lost else ():
                has_bet = any(k[:2] == (at, player) for k in bets) and not ruled("own_boxes", "yes")
                if at != box and not has_bet and not (ruled("two_bets", "player") and (at, player) in taken):
                    taken.add((at, player))
                    brought.append(row)
            brought.sort(key=lambda row: -row["envy"] if ruled("per", "round") else 0)
            for row in brought[:1] if ruled("per", "round") else brought:
                lines.append({"box": box, "player": player, "wager": "envy", "stake": 0, "result": "win", "pays": row["envy"],
                              "returned": row["envy"], "clause": rule["clause"], "combo": row["combo"]})
        return lines

    def settle(self, lines, due, place):
        """Compares lines with those that are due, and follows their money."""
        for line, other in zip(lines, due):
            need(line == other, place, f"{json.dumps(line)} should be {json.dumps(other)}")
        need(len(lines) == len(due), place, f"there are {len(lines)} lines, and {len(due)} are due")
        need(self.turned or not lines or "reveal" in self.ways, place, "the dealer's hand is not turned")
        self.pay(lines, place)

    def on_settled(self, body, place):
        self.settle(body.get("lines", []), self.lines_of({k[0] for k in self.layout}) + self.envy(), place)
        need(not self.layout, place, f"{self.layout} is left on the layout")
        self.phase = "settled"

    def on_box_settled(self, body, place):
        self.settle(body.get("lines", []), self.lines_of({body["box"]}), place)

    def on_forfeits_collected(self, body, place):
        self.settle(body.get("lines", []), self.lines_of(self.forfeited()), place)

    def on_player_warned(self, body, place):
        need(any(k[1] == body["player"] for k in self.low), place, f"no low wager of {body['player']} was settled")

    # Where the money goes (round-record.md, "The money of a round").

    def pay(self, lines, place, award="winnings", undone=False):
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
                self.leave(*key[:2])
            self.settled[key] = self.settled.get(key, 0) + (-stake if not lies else 0 if undone else stake)
            if any("meter_percent" in r and r["combo"] == line.get("combo") for r in self.rules.rows.get(key[2], [])):
                hit = self.hits[key[0]]
                same = key[0] in self.paying and (hit.get("winner", line["player"]), hit["amount"]) == (line["player"], pays)
                need(same, place, f"{json.dumps(line)} is not the hit that is paid")
                self.paying.remove(key[0])
                self.post("meter:" + self.jackpot, player, hit["from_meter"], "jackpot-paid", jackpot=self.jackpot, **more)
                self.post("house", player, hit["from_house"], "made-good", jackpot=self.jackpot, **more)
            else:
                self.post(win, player, pays, award, **more)
            self.post(player, win, reverses, "collected", **more)
            self.paid[key] += (0 if undone else line["returned"]) - reverses

    def give_back(self, body, place, due=None):
        """Follows lines by which stakes go back and payments are collected, as was ruled."""
        lines = body.get("lines", [])
        found = {}  # a wager has a line for each Envy Bonus
        for line in lines:
            key = line["box"], line["player"], line["wager"]
            stake, reverses = found.get(key, (0, 0))
            found[key] = stake + line["stake"], reverses + line.get("reverses", 0)
            self.returned += self.uncounted(line) if line["stake"] else []
            plain = line["result"] == "returned" and line["stake"] == line["returned"] and not line["pays"]
            need(plain, place, f"{json.dumps(line)} is no stake that goes back")
        due = {k: v for k, v in due.items() if any(v)} if due is not None else found
        need(found == due, place, f"{found} goes back, and {due} is due")
        self.ruled.append(body["clause"])
        self.pay(lines, place, undone=True)

    on_bets_returned = give_back

    def all_of(self, box=None):
        """Returns what lies or lay, and what was paid, for all wagers or those of a box."""
        keys = [k for k in {**self.layout, **self.settled, **self.paid} if box in (None, k[0])]
        return {k: (self.layout.get(k) or self.settled.get(k, 0), self.paid[k]) for k in keys}

    def on_round_voided(self, body, place):
        self.give_back(body, place, self.all_of())
        self.phase, self.questions = "void", []

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
        laid = {(body["box"], s["player"], s["wager"]): s["amount"] for s in body.get("stakes", [])}
        need(laid == {k: v for k, v in self.settled.items() if k[0] == body["box"] and v}, place, f"{laid} is not what lay there")
        for key, amount in laid.items():
            self.post("win:" + self.name, "layout:" + self.name, amount, "relaid", box=key[0], wager=key[2], clause=body["clause"])
            self.layout[key], self.settled[key] = amount, 0
        self.low = {k for k in self.low if k[0] != body["box"]}
        self.phase = "play"

    def most(self, box, player, wager):
        """Returns the most that a settled wager can bring, apart from a share of the meter."""
        rules, stakes = self.rules, {k[1:]: v for k, v in self.settled.items() if k[0] == box}
        envy = wager == "envy"  # one for each other box
        rule = rules.wagers[wager] if not envy else next(r for r in rules.wagers.values() if r.get("envy"))
        basis = rule["basis"] if rule["contest"] == "riding" else rule["wager"]
        if not stakes.get((player, basis)):
            return 0
        if envy:
            return (len({k[0] for k in self.settled}) - 1) * max(r.get("envy", 0) for r in rules.rows[basis])
        stake, (risk, _) = stakes.get((player, wager), 0), rules.at_risk(player, basis, stakes)
        kept = risk if rules.rulings.get(rule.get("stake_ruling")) == "kept-by-house" else 0
        return stake - kept + max(r["fixed"] if "fixed" in r else rules.winnings(risk, r) if "to" in r else 0 for r in rules.rows[wager])

    def on_payment_corrected(self, body, place):
        self.ruled.append(body["clause"])
        for line in body["lines"]:  # each is what the answer lists, of a wager that was settled
            key, collects = (line["box"], line["player"], line["wager"]), line.get("reverses", 0)
            amount, remedy = collects or line["pays"], "collect" if collects else "award"
            due = line | {"stake": 0, "result": "returned", "pays": 0, "returned": 0} if collects else line | {"stake": 0, "result": "win", "returned": amount}
            listed = any((r["do"], r.get("box"), r.get("player"), r.get("wager"), r.get("amount")) == (remedy, *key, amount) for r in self.remedies)
            need(line == due and listed, place, f"{json.dumps(line)} is not what was decided")
            need(collects or self.paid[key] + amount <= self.most(*key), place, f"{json.dumps(line)} awards more than the wager can bring")
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
# What a hit has to be for an event, nothing where it does not matter, and what it is then.
HIT_STATES = {"hit-registered": ("", "registered"), "hit-confirmed": ("registered", "confirmed"), "hit-forfeited": ("", "out"),
              "hit-reinstated": ("out", "registered"), "hit-paid": ("confirmed", "paid"), "hit-reversed": ("paid", "out")}


def follow_jackpot(state, event, table, place):
    """Follows meter and reserve of a jackpot; what an event states is worked out by its terms."""
    body, kind, name = event["body"], event["kind"], table.jackpot
    need(state or kind == "round-closed", place, "the record does not say how the jackpot stood")

    def due(field, amount):
        need(body[field] == amount, place, f"{kind}: {field} is {body[field]} and should be {amount}")

    about = body.get("hit") or body.get("round") or {"table": table.name, "round": str(table.round)}
    need(kind == "round-closed" or (about["table"], about["round"]) == (table.name, str(table.round)), place, f"{kind}: it is of another round")
    before = table.hit.get(about.get("box"), {"state": None})
    state_before, state_after = HIT_STATES.get(kind, ("", before["state"]))
    need(not state_before or before["state"] == state_before, place, f"{kind}: no hit is {state_before}")
    table.hit[about.get("box")] = before | (body if kind == "hit-paid" else {}) | {"state": state_after}
    if kind == "contributed":
        terms = state["terms"]
        due("stake", body["bets"] * terms["bet"])
        table.accepted += [(terms["bet"], terms["rate"])] * body["bets"]
        parts = body["stake"] * terms["rate"]["num"] * state["denominator"] // terms["rate"]["den"]
        total, state["remainder"] = divmod(parts + state["remainder"], state["denominator"])
        top = min(terms["ceiling"], state["registered"]) if state["down"] else terms["ceiling"]  # nothing is added to what is registered
        due("to_meter", min(total, max(0, top - state["meter"])))
        due("to_reserve", total - body["to_meter"])
    elif kind == "contributions-reversed":  # the latest first, each by the terms by which it was accepted
        need(0 < body["bets"] <= len(table.accepted), place, f"{kind}: {body['bets']} bets, of {len(table.accepted)} that were accepted")
        table.accepted, back = table.accepted[:-body["bets"]], table.accepted[-body["bets"]:]
        due("stake", sum(stake for stake, _ in back))
        parts = sum(stake * rate["num"] * state["denominator"] // rate["den"] for stake, rate in back)
        total, state["remainder"] = divmod(state["remainder"] - parts, state["denominator"])
        due("from_house", -total - body["from_reserve"] - body["from_meter"])
        most = {"from_meter": max(0, state["meter"] - state["terms"]["reset"]), "from_reserve": state["reserve"], "from_house": -total}
        need(all(0 <= body[field] <= amount for field, amount in most.items()), place, f"{kind}: that does not lie there")
    elif kind == "hit-paid" and before.get("back", {}).get("amount") == body["amount"]:  # it was collected, and is paid again
        back, ceiling = before.pop("back"), state["terms"]["ceiling"]
        held = [h["payment"] for h in state.get("hits", []) if h["id"] == body["hit"] and h["status"] != "paid" and "payment" in h]
        if held and held[0]["from_house"] == body["amount"]:  # another hit has taken the meter with it
            back = {"amount": body["amount"], "from_house": body["amount"], "reset_to_house": 0, "to_reserve": 0}
        due("from_meter", min(state["meter"], back["amount"] - back["from_house"]))
        due("from_house", body["amount"] - body["from_meter"])
        left = state["meter"] - body["from_meter"]
        due("reset_by_house", min(max(0, back["reset_to_house"] - body["from_house"] + back["from_house"]), ceiling - left))
        due("reset_from_reserve", min(back["to_reserve"], state["reserve"], ceiling - left - body["reset_by_house"]))
        need("new_terms" not in body, place, f"{kind}: new terms wait for the next hit")
        state["meter"] -= body["from_meter"]
    elif kind == "hit-paid":
        for other in table.hit.values():
            if "back" in other:
                other["back"] |= {"from_house": other["back"]["amount"], "reset_to_house": 0, "to_reserve": 0}
        if not state["down"] or body["amount"] != state["registered"]:  # of two hits while it is down, the second may get the reset value
            due("amount", state["meter"])
        due("from_meter", min(state["meter"], body["amount"]))
        due("from_house", body["amount"] - body["from_meter"])
        need(body.get("new_terms") == state.pop("next_terms", None), place, f"{kind}: other terms were waiting")
        need("winner" in body or "held" not in body, place, f"{kind}: the sum is held for nobody")
        state["terms"] = terms = body.get("new_terms", state["terms"])
        denominator = math.lcm(state["denominator"], terms["rate"]["den"])
        state |= {"remainder": state["remainder"] * denominator // state["denominator"], "denominator": denominator}
        first = terms["overflow"] == "first"
        due("reset_from_reserve", min(state["reserve"], terms["reset"] if first else terms["ceiling"] - terms["reset"]))
        due("reset_by_house", terms["reset"] - (body["reset_from_reserve"] if first else 0))
        state["meter"] -= body["from_meter"]
    elif kind == "hit-reversed":
        need(body.get("payable") in (None, before.get("held") and before["winner"]), place, f"{kind}: nothing is held for {body.get('payable')}")
        for field, paid in ("amount", "amount"), ("to_meter", "from_meter"), ("to_house", "from_house"):
            due(field, before[paid])
        meter, terms = state["meter"] + body["to_meter"], state["terms"]
        due("reset_to_house", min(before["reset_by_house"], max(0, meter - terms["reset"])))
        meter -= body["reset_to_house"]
        due("to_reserve", max(min(before["reset_from_reserve"], max(0, meter - terms["reset"])), meter - terms["ceiling"]))
        table.hit[body["hit"]["box"]]["back"] = {"from_house": body["to_house"]} | {f: body[f] for f in ("amount", "reset_to_house", "to_reserve")}
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

def verify_command(step, table, place):
    """Holds a command against its moment, and against the events that followed: what both state has to be the same."""
    kind, body, by, events = step["kind"], step["body"], step["by"], step.get("events", []) + step.get("seeds", [])
    giver, moments, follows, _ = COMMANDS[kind]
    need(table.moment() in moments.split(), place, f"not at this moment: {table.moment()}")
    need(by["role"] in ROLES, place, f"nobody is a {json.dumps(by['role'])}")
    is_player = by["role"] in ("guest", "player")
    may = {"any": True, "player": is_player, "staff": not is_player, "chips": is_player or table.chips}
    need(may[giver], place, f"{by['name']} may not do this as {by['role']}")
    need(not is_player or body.get("player", by["name"]) == by["name"], place, f"{by['name']} acts for {body.get('player')}")
    bodies = [e["body"] for e in events if e["kind"] == follows]
    event, several = bodies[0] if bodies else None, follows in ("cards-dealt", "hand-shown", "offer-answered")
    enough = not follows or len(bodies) == 1 or (several if bodies else kind == "found")  # "found" may be asked first
    need(enough, place, f"there is no {follows}, or several")
    if kind == "withdraw":
        event = next(e["body"] for e in events if e["kind"] == "bets-returned")["lines"][0]
    for field, value in body.items() if event else ():
        if field == "hand":
            value, event = [], event | {"hand": [c for c in value if c != "??" and c not in event["hand"]]}
        elif field == "cards":
            value = [c["card"] for c in value]
            event = event | {"cards": [c["card"] for e in events if e["kind"] == "cards-dealt" for c in e["body"].get("cards", [])]}
        need(event.get(field, value) == value, place, f"{field}: {value} was asked for, and {event.get(field)} followed")
    need(kind != "bet" or event.get("entered_by", event["player"]) == by["name"], place, f"{by['name']} did not enter this bet")
    stated = [e["body"].get(kind) or e["body"].get("question", {}).get(kind) for e in events]
    need(kind not in ("report", "found") or not any(stated) or body in stated, place, "something else was reported")


def verify_seeds(record):
    """Verifies the commitment and the seeds, and returns the deck."""
    seed, added, revealed = record["seed"], {}, 0
    text = f"trey commitment 1\nround {record['round']}\nseed {seed['seed']}\ntable {record['table']}\n"
    need(sha256(text).hex() == seed["commitment"], "seed", "the commitment is not that of the seed")
    committed, covered, changes = seed["committed"], seed["committed"]["seq"], Counter()
    need(committed["at_ms"] <= record["steps"][0]["at_ms"] and covered < record["steps"][0].get("seq", math.inf), "seed.committed", "it is not before the round")
    if "checkpoint" in seed:
        covered = Checkpoint(seed["checkpoint"], "seed.checkpoint").size - 1
        need(covered >= seed["committed"]["seq"], "seed.checkpoint", "it does not hold the commitment")
    for n, step in enumerate(record["steps"]):
        place, kinds = f"steps[{n}]", [e["kind"] for e in step.get("events", [])]
        relies = step["kind"] in ("bet", "add-seed", "found")
        need(not relies or covered < step.get("seq", math.inf), place, "somebody relied on the commitment before it was signed")
        for event in step.get("seeds", []):
            body = event["body"]
            need(body["round"] == record["round"], place, "a seed of another round")
            if event["kind"] == "seed-added":
                need(step["kind"] == "add-seed" and body["player"] == step["by"]["name"], place, "a seed came too late, or from somebody else")
                player, text = body["player"], body["text"]
                changes[player] += 1
                need(text and text.isprintable() and len(text.encode()) <= 64 and changes[player] <= 8, place, f"it is no seed: {json.dumps(text)}")
                full = len(added) == 64 and player not in added
                need(full == (body.get("instead") in added), place, f"for {player} no other seed gives way, or no room is left")
                added.pop(body.get("instead"), None)
                added[player] = text
            else:
                revealed += 1
                need(body["seed"] == seed["seed"], place, "another seed was revealed")
                need({"settled", "round-voided", "table-closed"} & set(kinds), place, "the seed was revealed before the end")
    need(revealed == 1, "seed", "it was not revealed, or twice")
    listed = [(o["player"], o["text"]) for o in seed.get("own", [])]
    need(listed == sorted(added.items(), key=lambda o: o[0].encode()), "seed.own", "these are not the seeds that players added")
    lines = [f"own {len(p.encode())} {p} {len(t.encode())} {t}\n" for p, t in listed]
    return deck_of(sha256(f"trey deck 1\ncommitment {seed['commitment']}\nseed {seed['seed']}\n" + "".join(lines)))


def verify_postings(found, due, table, place):
    """Compares postings with those that the events make; what a player could not pay back is not known from them."""
    collected, about = Counter(), {"reason": "unpaid", "table": table.name, "round": table.round}
    for posting in due:
        collected[posting["from"]] += posting["amount"] if posting["for"]["reason"] == "collected" else 0
    for posting in [p for p in found if p["for"]["reason"] == "unpaid"]:
        player, amount = posting["to"], posting["amount"]
        need(posting == {"from": "owed:" + player.removeprefix("player:"), "to": player, "amount": amount, "for": about}, place, f"{json.dumps(posting)} is no debt")
        need(0 < amount <= collected.pop(player, 0), place, f"more is owed than was collected: {amount}")
    rest = [p for p in found if p["for"]["reason"] != "unpaid"]
    for n, (a, b) in enumerate(zip(rest, due)):
        need(a == b, f"{place}, posting {n + 1}", f"{json.dumps(a)} should be {json.dumps(b)}")
    need(len(rest) == len(due), place, f"there are {len(rest)} postings, and the events make {len(due)}")


def verify_round(record):
    """Verifies one round by its rules, cards and money, and returns what is to be said of it."""
    need((record.get("type"), record.get("version")) == ("round-record", 1), "type", "it is no round record of version 1")
    verify_fields("record", record, OBJECTS["record"][0], "record")
    steps, rules = record["steps"], Rules(record)
    virtual = record["config"]["cards"] == "virtual"
    need(virtual == ("seed" in record), "seed", "a virtual deck has a seed, and no other has one")
    table, meter = Table(record, rules, verify_seeds(record) if virtual else None), {}
    said = [f"{record['book']} as declared in {sha256(record['declaration']).hex()[:16]}"]
    seqs, times = [s["seq"] for s in steps if "seq" in s], [s["at_ms"] for s in steps]
    need(all("seq" in s for s in steps[:-1]) and seqs == sorted(set(seqs)) and times == sorted(times), "steps", "the transactions are not in their order")
    for n, step in enumerate(steps):
        place = f"steps[{n}] {step['kind']}"
        verify_command(step, table, place)
        table.begin(step)
        said += [f"{place}: {why}" for why in unexplained(meter, step.get("meter"))]
        meter = dict(step.get("meter", meter))
        for event in step.get("events", []):
            table.follow(event, f"{place}, {event['kind']}")
        for body in [e["body"] for e in step.get("seeds", []) if "instead" in e["body"]]:
            player, instead = body["player"], body["instead"]
            need({player, instead} & {k[1] for k in table.layout} == {player}, place, f"{instead} need not give way to {player}")
        for event in step.get("moved", []):
            follow_jackpot(meter, event, table, place)
        table.end(step, meter, place)
        verify_postings(step.get("postings", []), table.postings, table, place)
    need(table.phase == record["ended"], "ended", f"the round is in the phase {table.phase}")
    need(not table.layout, "steps", f"{table.layout} is left on the layout")
    said += [] if virtual else ["by hand: nobody can tell the order of the cards"]
    return said + ([f"settled as ruled under {', '.join(sorted(set(table.ruled)))}"] if table.ruled else [])


def unexplained(before, after):
    """Yields how a jackpot is what other tables alone, which bet and hit it, do not make of it."""
    if before and after and after["hits_paid"] == before["hits_paid"] and after["meter"] < before["meter"]:
        yield f"the jackpot fell from {before['meter']} to {after['meter']} without a hit: why, its own record tells"
    if before and after and after["hits_paid"] > before["hits_paid"] and after["meter"] < after["terms"]["reset"]:
        yield f"the jackpot was hit and holds {after['meter']}, less than its reset: why, its own record tells"
    need(not before or not after or after["hits_paid"] >= before["hits_paid"], "steps", "hits that were paid are not paid any more")


def verify_proof(text, record, house, witnesses):
    """Verifies that a leaf of the house's record commits to this text; returns the checkpoint and what is said of it."""
    lines = record["proof"].split("\n")
    need(lines[0] == "c2sp.org/tlog-proof@v1" and "" in lines, "proof", "it is no proof of c2sp.org/tlog-proof@v1")
    end = lines.index("")
    extra, index = (l.partition(" ") for l in lines[1:3])
    need((extra[0], index[0]) == ("extra", "index") and re.fullmatch("0|[1-9][0-9]*", index[2], re.A), "proof", "it has no extra line, or no index")
    opening, hashes = decode_base64(extra[2], "proof", 64), [decode_base64(l, "proof", 32) for l in lines[3:end]]
    checkpoint = Checkpoint("\n".join(lines[end + 1:]), "proof")
    end = text.rindex(',"names":{')
    members = parse("{" + text[end + 1:], "proof")  # what else stood there, the leaf would not commit to
    need(list(members) == ["names", "software", "proof"], "proof", f"behind the committed text stand {list(members)}")
    committed = text[:end] + "}"
    section = f"record table:{record['table']} {record['round']}\n{sha256(committed).hex()}"
    content = sha256(opening[32:] + sha256(b"trey section v1\n" + opening[:32] + section.encode()))
    leaf = f"trey transaction v1\n{index[2]}\n{record['steps'][-1]['at_ms']}\n{base64.b64encode(content).decode()}\n"
    verify_inclusion(sha256(b"\0" + leaf.encode()), int(index[2]), checkpoint, hashes)
    need(all(s.get("seq", 0) < int(index[2]) for s in record["steps"]), "proof", "its leaf is not behind all steps")
    before = [Checkpoint(record["seed"]["checkpoint"], "seed.checkpoint")] if "checkpoint" in record.get("seed", {}) else []
    for noted in before:
        noted.verify(house, [])
    unseen = [w.name for noted in before for w in witnesses if not w.signed(noted)]
    said = [f"{name} did not cosign the checkpoint before the bets: that it is from before them is the house's word" for name in unseen]
    said += ["no checkpoint covers the commitment: that it is from before the bets is the house's word"] if "seed" in record and not before else []
    said += [f"the checkpoint before the bets is of {c.origin}: whether the house went on from it, an audit says" for c in before if c.origin != checkpoint.origin]
    return checkpoint, [c for c in before if c.origin == checkpoint.origin], said + [f"leaf {index[2]} of {checkpoint.size}"] + checkpoint.verify(house, witnesses)


# --- The command ------------------------------------------------------------------------------

def records_of(text, path):
    """Yields the records of a file, and their texts: one document, or one a line."""
    lines = text.splitlines() or [text]
    for line in lines if all(l.startswith("{") and l.endswith("}") for l in lines) else [text]:
        record = parse(line, path)
        if not isinstance(record, dict) or len(line) > 16 << 20:
            raise Unreadable(f"{path}: it is no object, or longer than 16 MB")
        yield record, line


def verdict(name, check):
    """Prints whether something is proven, with what is said of it, and returns the exit status."""
    status = 1
    try:
        said, status = "proven; " + "; ".join(check()), 0
    except Failure as failure:
        said = f"FAILED at {failure}"
    except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        said = f"FAILED: something is missing, or is of another kind: {error!r}"
    print("".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in f"{name}: {said}"))  # a record writes no line of its own
    return status


def main(arguments):
    parser = argparse.ArgumentParser(prog="verify.py", description="Verifies records of rounds that a house of Trey has played.")
    parser.add_argument("records", nargs="*", metavar="RECORD", help="a file with the record of a round, or with one on each line")
    parser.add_argument("--key", action="append", default=[], help="the key of the house, or a file that holds it")
    parser.add_argument("--succession", action="append", default=[], help="a file with the notes by which each key of the house named the next, from /log/succession")
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
        with urlopen(path) if "://" in path else open(path, "rb") as file:
            return file.read()

    def key(text, kind, whose):
        known = Key(content(text).decode() if os.path.exists(text) else text)
        if known.kind != kind:
            raise Unreadable(f"{text!r} is not the key of a {whose}")
        return known

    def of_record(record, text):
        follows, said = verify_round(record), ["not signed"]
        if record.get("proof"):
            checkpoint, before, said = verify_proof(text, record, house, witnesses)
            older = [Checkpoint(content(p).decode(), p) for p in options.older]
            for noted in older:
                noted.verify(house, [])
            if options.tiles:
                verify_consistency(lambda tile: content(options.tiles.rstrip("/") + "/" + tile), older + before + [checkpoint])
                said.append("goes on from the older checkpoints" if older else "as the tiles have it")
            elif before:
                said.append("whether its tree goes on from the checkpoint before the bets, --tiles tells")
        else:
            need(not house and not witnesses, "proof", "there is none: no checkpoint covers the round yet")
        return said + follows

    def of_archive():
        older = [Checkpoint(content(p).decode(), p) for p in options.older]
        with sys.stdin if options.archive == "-" else open(options.archive, encoding="utf-8", newline="\n") as file:
            return verify_archive(file, "archive", house, witnesses, older)

    try:
        given, witnesses = [key(t, ED25519, "house") for t in options.key], [key(t, COSIGNATURE, "witness") for t in options.witness]
        notes = "---\n".join(content(path).decode() for path in options.succession)
        house = [k for first in given for k in successors(first, notes, "the succession")]
        if notes.strip() and len(house) == len(given):
            raise Unreadable("the succession: no note there is signed by a key that --key gives")
        status = verdict("archive", of_archive) if options.archive else 0
        for path in options.records:
            for record, text in records_of(content(path).decode(), path):
                status |= verdict(f"{path}: {json.dumps(record.get('table'))} {json.dumps(record.get('round'))}", lambda: of_record(record, text))
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
