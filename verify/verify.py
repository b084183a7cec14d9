#!/usr/bin/env python3
"""Verifies records of rounds that a house of Trey has played, and archives of its record.

    verify.py [--key KEY] [--witness KEY] [--older CHECKPOINT] [--tiles FOLDER] RECORD...
    zstd -dc FOLDER/*.jsonl.zst | verify.py [--key KEY] [--witness KEY] [--older CHECKPOINT] --archive -

This program shares no code with Trey. It was written from docs/round-record.md, record.md,
record-events.md, declaration.md, fair-dealing.md and rulings.md, from the rule books, and from
the public specifications of C2SP, for the standard library of Python 3.11 alone. Beside it lie
tlog.py: signatures and trees, cards.py: the deck and the hands, archive.py: segments of an archive.

It repeats the deck from the seeds, ranks the hands, settles every wager once more from cards,
stakes and the rules in the record, and adds the money up. What a person ruled on an irregularity
it takes from the events, and says so. Exit status: 0 proven, 1 failed, 2 cannot be read.

All four files have some 1,100 lines, and not the 600 that were meant. A third of this one is what
happens to stakes and money when something goes wrong: without it rounds as casinos play them
would not be proven. Less would be denser, or prove less.
"""
import argparse
import base64
import json
import math
import os
import sys
from collections import Counter
from urllib.request import urlopen

sys.dont_write_bytecode = True  # leaves no folder of its own beside these files

from archive import verify_archive
from cards import deck_of, highest_card_rank, makes, pictures, pictures_rank, points, poker_rank
from tlog import Checkpoint, Failure, Key, Unreadable, decode_base64, need, parse, sha256, verify_consistency, verify_inclusion


# --- The rules by which the round was played (declaration.md) ---------------------------------

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
        self.rank = {"poker": poker_rank, "pictures": pictures_rank, "poker-highest-card": highest_card_rank}[self.book["ranking"]]
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
        self.phase, self.lines, self.contributing, self.postings, self.ruled = "new", 0, 0, [], []
        self.device, self.command, self.turned, self.schedule = record["config"]["device"], None, False, []
        self.question, self.stated = {}, None  # what is asked, and what a stake is confirmed or known to be

    def post(self, source, target, amount, reason, **more):
        about = {"reason": reason, "table": self.name, "round": self.round} | {k: v for k, v in more.items() if v}
        self.postings += [{"from": source, "to": target, "amount": amount, "for": about}] if amount else []

    def hand(self, place):
        """Returns the three cards at a place, or None if they are not known."""
        cards = [c["card"] for c in self.cards if c["place"] == str(place)]
        return cards if len(cards) == 3 and "??" not in cards else None

    def follow(self, event, place):
        """Follows one event; events without a method change neither cards nor money."""
        sources = SOURCES.get(event["kind"], self.command).split()
        need(self.command in sources, place, f"it follows from {' or '.join(sources)}, and not from {self.command}")
        getattr(self, "on_" + event["kind"].replace("-", "_"), lambda body, place: None)(event["body"], place)

    def withheld(self, box):
        """Reports whether a hand was played and is kept face down."""
        return str(box) in self.hidden and self.decisions.get(box) != "folded"

    def on_bets_opened(self, body, place):
        need(self.phase == "new" and body["round"] == self.round, place, "the round begins twice, or it is another")
        self.phase = "betting"

    def on_bets_closed(self, body, place):
        need(self.phase == "betting", place, "the bets are not open")
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
        if self.phase == "betting" and not any(k[:2] == key[:2] for k in self.layout):
            order.remove(player)

    def on_bet_placed(self, body, place):
        need(self.phase == "betting" and body["amount"] > 0, place, "no bet can be placed")
        self.lay(body, place, "bet", body["amount"] + self.layout.get((body["box"], body["player"], body["wager"]), 0))

    def on_stake_found(self, body, place):
        stated = {k: body[k] for k in ("box", "player", "wager", "amount")}
        need(self.stated in (None, stated), place, f"{self.stated} was stated")
        self.lay(body, place, "found", body["amount"])

    def on_question_asked(self, body, place):
        self.question = body["question"]

    def on_question_answered(self, body, place):
        found = self.question.get("found")
        self.stated = {k: found[k] for k in ("box", "player", "wager", "amount")} if found else None

    def on_reported(self, body, place):
        report = body["report"]
        if body["outcome"] == "not-honoured" and report.get("counted"):  # a late bet leaves what lay there before it
            key = report["box"], report["player"], report["wager"]
            lies = self.layout.get(key) or self.settled.get(key, 0)
            self.stated = dict(zip(("box", "player", "wager", "amount"), (*key, max(0, lies - report["amount"]))))

    def decide(self, body, place, decision):
        need(self.command not in ("raise", "fold") or self.phase == "play" and not self.turned, place, "nobody decides any more, or yet")
        need(body["box"] not in self.decisions, place, f"box {body['box']} has decided")
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
        need(self.phase not in ("new", "betting"), place, "the bets are open")
        for card in body["cards"]:
            known = card["card"] != "??"
            need(not known or card["card"] not in (c["card"] for c in self.cards), place, f"{card['card']} is dealt twice")
            if self.deck is not None:  # no hand can deal another card, nor to another place
                need(card["card"] == self.deck.pop(0), place, f"{card['card']} is not the next of the deck")
                self.schedule = [p for p in self.schedule if p not in map(str, self.gone)]
                to = self.schedule.pop(0) if self.schedule else "out"
                need(self.command == "deal" and card["place"] == to, place, f"{card['card']} goes to {to}, and not to {card['place']}")
            self.cards.append(dict(card))

    def on_cards_moved(self, body, place):
        need(self.deck is None or body.get("clause"), place, "cards of a deck that was committed to lie where they were dealt")
        self.ruled.append(body["clause"])
        for move in body["moves"]:
            self.cards[move["slot"]]["place"] = move["to"]

    def on_cards_exposed(self, body, place):
        for slot, card in zip(body["slots"], body["cards"], strict=True):
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
        self.hidden.discard(body["place"])

    def on_hand_kept_down(self, body, place):
        self.hidden.add(str(body["box"]))

    def forfeited(self):
        """Returns the folded boxes whose stakes lie there, but for those with a wager that the fold leaves in play."""
        return {k[0] for k in self.layout if self.decisions.get(k[0]) == "folded"} - {k[0] for k in self.layout if self.keeps(k[2])}

    def on_dealer_shown(self, body, place):
        self.turned = True
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
                own = any(k[:2] == (at, player) for k in bets) and not ruled("own_boxes", "yes")
                if at != box and not own and not (ruled("two_bets", "player") and (at, player) in taken):
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
        self.pay(lines, place)

    def on_settled(self, body, place):
        self.settle(body.get("lines", []), self.lines_of({k[0] for k in self.layout}) + self.envy(), place)
        need(not self.layout, place, f"{self.layout} is left on the layout")
        self.phase = "settled"

    def on_box_settled(self, body, place):
        self.settle(body["lines"], self.lines_of({body["box"]}), place)

    def on_forfeits_collected(self, body, place):
        self.settle(body["lines"], self.lines_of(self.forfeited()), place)

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
            self.settled[key] = self.settled.get(key, 0) + (-stake if not lies else 0 if undone else stake)
            if any("meter_percent" in r and r["combo"] == line.get("combo") for r in self.rules.rows.get(key[2], [])):
                hit = self.hits[key[0]]
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
        self.low = {k for k in self.low if k[0] != body["box"]}
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
           "reveal": "dealer-shown", "add-seed": "seed-added", "deal": "cards-dealt", "show": "hand-shown", "lay-up": "hand-shown",
           "found": "stake-found"}
# The commands from which an event follows; from the others anything can.
SOURCES = {"bets-opened": "open-bets", "bet-placed": "bet", "stake-found": "found report answer", "cards-dealt": "deal report answer",
           "cards-moved": "report answer", "cards-exposed": "report answer", "hand-raised": "raise report answer", "bets-closed": "close-bets",
           "hand-folded": "fold expire report answer", "decision-restored": "found report answer", "dealer-shown": "reveal",
           "payment-corrected": "report answer", "settlement-undone": "report answer", "round-voided": "deal report answer"}
FIELDS = ("type version table round ended book variant rules_hash declaration terms config jackpot carried seed steps names software proof",
          "seq at_ms by kind body meter events moved seeds postings")


def verify_command(step, place):
    """Holds a command against the events that followed from it: what both state has to be the same."""
    kind, body, by, events = step["kind"], step["body"], step["by"], step.get("events", []) + step.get("seeds", [])
    need(by["role"] != "player" or body.get("player", by["name"]) == by["name"], place, f"{by['name']} acts for {body.get('player')}")
    event = next((e["body"] for e in events if e["kind"] == FOLLOWS.get(kind)), None)
    need(event is not None or kind == "found" or kind not in FOLLOWS, place, f"there is no {FOLLOWS.get(kind)}")  # "found" may be asked first
    for field, value in body.items() if event else ():
        if field == "hand":
            value, event = [], event | {"hand": [c for c in value if c != "??" and c not in event["hand"]]}
        elif field == "cards":
            value = [c["card"] for c in value]
            event = event | {"cards": [c["card"] for e in events if e["kind"] == "cards-dealt" for c in e["body"]["cards"]]}
        need(event.get(field, value) == value, place, f"{field}: {value} was asked for, and {event.get(field)} followed")
    need(kind != "bet" or event.get("entered_by", event["player"]) == by["name"], place, f"{by['name']} did not enter this bet")
    stated = [e["body"].get(kind) or e["body"].get("question", {}).get(kind) for e in events]
    need(kind not in ("report", "found") or not any(stated) or body in stated, place, "something else was reported")


def verify_seeds(record):
    """Verifies the commitment and the seeds, and returns the deck."""
    seed, own, closed, shown = record["seed"], {}, False, 0
    text = f"trey commitment 1\nround {record['round']}\nseed {seed['seed']}\ntable {record['table']}\n"
    need(sha256(text).hex() == seed["commitment"], "seed", "the commitment is not that of the seed")
    covered = seed["committed"]["seq"]
    if "checkpoint" in seed:
        covered = Checkpoint(seed["checkpoint"], "seed.checkpoint").size - 1
        need(covered >= seed["committed"]["seq"], "seed.checkpoint", "it does not hold the commitment")
    for n, step in enumerate(record["steps"]):
        place, kinds = f"steps[{n}]", [e["kind"] for e in step.get("events", [])]
        relies = step["kind"] in ("bet", "add-seed", "found")
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
                shown += 1
                need(body["seed"] == seed["seed"], place, "another seed was revealed")
                need({"settled", "round-voided", "table-closed"} & set(kinds), place, "the seed was revealed before the end")
    need(shown == 1, "seed", "it was not revealed, or twice")
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
        meter, table.postings, table.stated, table.command = dict(step.get("meter", meter)), [], None, step["kind"]
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
    said = [f"the checkpoint before the bets is of {c.origin}: whether the house went on from it, an audit says" for c in before if c.origin != checkpoint.origin]
    return checkpoint, [c for c in before if c.origin == checkpoint.origin], said + [f"leaf {index[2]} of {checkpoint.size}"] + checkpoint.verify(house, witnesses)


# --- The command ------------------------------------------------------------------------------

def records_of(text, path):
    """Yields the records of a file, and their texts: one document, or one a line."""
    lines = text.splitlines() or [text]
    for line in lines if all(l.startswith("{") and l.endswith("}") for l in lines) else [text]:
        record = parse(line, path)
        if not isinstance(record, dict):
            raise Unreadable(f"{path}: it is no object")
        yield record, line


def verdict(name, check):
    """Prints whether something is proven, with what is said of it, and returns the exit status."""
    try:
        print(f"{name}: proven; " + "; ".join(check()))
        return 0
    except Failure as failure:
        print(f"{name}: FAILED at {failure}")
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        print(f"{name}: FAILED: something is missing, or is of another kind: {error!r}")
    return 1


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
        with urlopen(path) if "://" in path else open(path, "rb") as file:
            return file.read()

    def key(text):
        return Key(content(text).decode() if os.path.exists(text) else text)

    def of_record(record, text):
        ruled, said = verify_round(record), ["not signed"]
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
        said += ["by hand: nobody can tell the order of the cards"] if "seed" not in record else []
        return said + ([f"settled as ruled under {', '.join(sorted(set(ruled)))}"] if ruled else [])

    def of_archive():
        older = [Checkpoint(content(p).decode(), p) for p in options.older]
        with sys.stdin if options.archive == "-" else open(options.archive, encoding="utf-8", newline="\n") as file:
            return verify_archive(file, "archive", house, witnesses, older)

    try:
        house, witnesses = [key(t) for t in options.key], [key(t) for t in options.witness]
        status = verdict("archive", of_archive) if options.archive else 0
        for path in options.records:
            for record, text in records_of(content(path).decode(), path):
                status |= verdict(f"{path}: {record.get('table')} {record.get('round')}", lambda: of_record(record, text))
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
