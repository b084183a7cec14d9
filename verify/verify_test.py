"""Tests of verify.py, against published vectors and figures worked out by hand: python3 -m unittest verify_test"""
import base64
import contextlib
import hashlib
import io
import itertools
import json
import os
import tempfile
import re
import unittest
import unittest.mock

import archive
import cards
import tlog
import verify

# RFC 8032, 7.1: key, message, signature.
VECTORS = [
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
]


class Signatures(unittest.TestCase):
    def test_vectors(self):
        for key, message, signature in VECTORS:
            key, message, signature = (bytes.fromhex(v) for v in (key, message, signature))
            self.assertTrue(tlog.ed25519_verifies(key, message, signature))
            self.assertFalse(tlog.ed25519_verifies(key, message + b"!", signature))
            for i in range(0, 64, 7):
                altered = signature[:i] + bytes([signature[i] ^ 1]) + signature[i + 1:]
                self.assertFalse(tlog.ed25519_verifies(key, message, altered))

    def test_a_signature_plus_the_order_is_refused(self):
        key, message, signature = (bytes.fromhex(v) for v in VECTORS[0])
        s = int.from_bytes(signature[32:], "little") + tlog.ORDER
        self.assertFalse(tlog.ed25519_verifies(key, message, signature[:32] + s.to_bytes(32, "little")))

    def test_points_off_the_curve_are_refused(self):
        self.assertIsNone(tlog.decode_point((2).to_bytes(32, "little")))
        self.assertIsNone(tlog.decode_point(tlog.P.to_bytes(32, "little")))

    def test_the_published_note(self):  # c2sp.org/signed-note
        key = tlog.Key("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k")
        note = tlog.Checkpoint.__new__(tlog.Checkpoint)
        note.text, note.place = "This is an example message.\n", "the note"
        text = "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
        note.signatures = [("example.com/foo", base64.b64decode(text))]
        self.assertEqual(key.signed(note), "signed by example.com/foo")
        note.text = "This is another message.\n"
        self.assertRaises(tlog.Failure, key.signed, note)

    def test_keys_that_are_none(self):
        for text in ("", "a", "a+b+c", "example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"):
            self.assertRaises(tlog.Unreadable, tlog.Key, text)

    def test_checkpoints_that_are_none(self):
        good = "trey-house/a\n16\nVlVv8vq104so/8mqWjH4GNiMeH+8rB73jjDMhOajWvo=\n\n\N{EM DASH} trey-house/a AAAAAAAA\n"
        self.assertEqual(tlog.Checkpoint(good, "it").size, 16)
        for bad in ("", good[:-1], *(good + f"\N{EM DASH} {other}\n" for other in ("b AA", "b !", "+ AAAAAAAA", " AAAAAAAA", "b\N{NO-BREAK SPACE} AAAAAAAA")), good.replace("16", "016"), good.replace("16", "-1"), good.replace("VlVv", "VlV"), good.replace("trey-house/a\n16\n", "16\n"), good.replace("\N{EM DASH}", "-")):
            self.assertRaises(tlog.Failure, tlog.Checkpoint, bad, "it")


def checkpoint(hashes, origin="trey-house/a"):
    c = tlog.Checkpoint.__new__(tlog.Checkpoint)
    c.place, c.origin, c.size, c.root = "it", origin, len(hashes), tlog.root_of(hashes)
    return c


def proof_for(index, hashes):
    """Returns the proof of inclusion as RFC 6962 defines it, 2.1.1."""
    if len(hashes) == 1:
        return []
    half = max(2**k for k in range(20) if 2**k < len(hashes))
    if index < half:
        return proof_for(index, hashes[:half]) + [tlog.root_of(hashes[half:])]
    return proof_for(index - half, hashes[half:]) + [tlog.root_of(hashes[:half])]


class Trees(unittest.TestCase):
    # The leaves and roots of the tests of RFC 6962's reference implementation.
    leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    roots = {1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
             2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
             8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"}

    def test_known_roots(self):
        hashes = [tlog.sha256(b"\0" + bytes.fromhex(l)) for l in self.leaves]
        for size, root in self.roots.items():
            self.assertEqual(tlog.root_of(hashes[:size]).hex(), root)

    def test_inclusion(self):
        for size in range(1, 18):
            hashes = [tlog.sha256(bytes([0, n])) for n in range(size)]
            c = checkpoint(hashes)
            for index in range(size):
                proof = proof_for(index, hashes)
                tlog.verify_inclusion(hashes[index], index, c, proof)
                wrong = [(tlog.sha256(b"another"), index, proof), (hashes[index], size, proof), (hashes[index], index, proof + proof[:1] + [c.root])]
                wrong += [(hashes[index], index, proof[:-1])] if proof else []
                wrong += [(hashes[index], (index + 1) % size, proof)] if size > 1 else []
                for leaf, at, other in wrong:
                    self.assertRaises((tlog.Failure, IndexError), tlog.verify_inclusion, leaf, at, c, other)

    def test_consistency_by_tiles(self):
        hashes = [tlog.sha256(n.to_bytes(4, "big")) for n in range(70_000)]
        with tempfile.TemporaryDirectory() as folder:
            row, level = hashes, 0
            while row:
                for n in range((len(row) + 255) // 256):
                    part = row[256 * n:256 * n + 256]
                    path = os.path.join(folder, f"tile/{level}", f"{n:03d}" + (f".p/{len(part)}" if len(part) < 256 else ""))
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "wb") as file:
                        file.write(b"".join(part))
                row, level = [tlog.root_of(row[i:i + 256]) for i in range(0, len(row) - 255, 256)], level + 1

            def read(tile):
                with open(os.path.join(folder, tile), "rb") as file:
                    return file.read()

            newest = checkpoint(hashes)
            for size in (1, 2, 255, 256, 257, 513, 65_536, 65_537, 69_999):
                tlog.verify_consistency(read, [checkpoint(hashes[:size]), newest])
            other = checkpoint(hashes[:300] + [hashes[0]])
            self.assertRaises(tlog.Failure, tlog.verify_consistency, read, [other, newest])
            self.assertRaisesRegex(tlog.Failure, "bytes and not", tlog.verify_consistency, lambda tile: read(tile) + b"x", [newest])
            self.assertRaises(tlog.Failure, tlog.verify_consistency, read, [checkpoint(hashes[:5], "trey-house/b"), newest])


def encode(point):
    x, y = (c * pow(point[2], -1, tlog.P) % tlog.P for c in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Signer:
    """A key that signs (RFC 8032, 5.1.6); RFC 8032's first vector tells that it signs rightly."""

    def __init__(self, secret, name="trey-house/a", kind=tlog.ED25519):
        digest = hashlib.sha512(secret).digest()
        self.scalar, self.prefix = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]
        self.public, self.name, self.kind = encode(tlog.multiply_point(self.scalar, tlog.BASE)), name, kind
        material = bytes([kind]) + self.public
        self.id = tlog.sha256(name.encode() + b"\n" + material)[:4]
        self.key = tlog.Key(f"{name}+{self.id.hex()}+{base64.b64encode(material).decode()}")

    def sign(self, message):
        r = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), "little") % tlog.ORDER
        point = encode(tlog.multiply_point(r, tlog.BASE))
        k = int.from_bytes(hashlib.sha512(point + self.public + message).digest(), "little")
        return point + ((r + k * self.scalar) % tlog.ORDER).to_bytes(32, "little")

    def line(self, text, seconds=1_795_359_509):
        at, message = b"", text.encode()
        if self.kind == tlog.COSIGNATURE:
            at, message = seconds.to_bytes(8, "big"), b"cosignature/v1\ntime %d\n" % seconds + message
        return f"\N{EM DASH} {self.name} {base64.b64encode(self.id + at + self.sign(message)).decode()}\n"


class Proofs(unittest.TestCase):
    """A record of which leaf 5 of a tree of 11 commits to the text."""

    house, witness = Signer(bytes(32)), Signer(bytes([1] * 32), "witness.example/w1", tlog.COSIGNATURE)
    record = {"table": "one", "round": 7, "steps": [{"at_ms": 1000}, {"at_ms": 2000}]}

    def made(self, record=None, tiles=None, index="5"):
        committed = json.dumps(record or self.record, separators=(",", ":"))
        salt, others = bytes(range(32)), tlog.sha256("the other sections")
        # docs/record.md, "A leaf", word for word.
        section = b"trey section v1\n" + salt + b"record table:one 7\n" + hashlib.sha256(committed.encode()).hexdigest().encode()
        content = hashlib.sha256(others + hashlib.sha256(section).digest()).digest()
        leaf = b"trey transaction v1\n" + index.encode() + b"\n2000\n" + base64.b64encode(content) + b"\n"
        hashes = [tlog.sha256(bytes([0, n])) for n in range(11)]
        hashes[5] = hashlib.sha256(b"\0" + leaf).digest()
        if tiles:
            os.makedirs(os.path.join(tiles, "tile/0/000.p"), exist_ok=True)
            with open(os.path.join(tiles, "tile/0/000.p/11"), "wb") as file:
                file.write(b"".join(hashes))
        text = f"trey-house/a\n11\n{base64.b64encode(tlog.root_of(hashes)).decode()}\n"
        lines = ["c2sp.org/tlog-proof@v1", "extra " + base64.b64encode(salt + others).decode(), "index " + index]
        lines += [base64.b64encode(h).decode() for h in proof_for(5, hashes)]
        proof = "\n".join(lines) + "\n\n" + text + "\n" + self.house.line(text) + self.witness.line(text)
        return committed[:-1] + ',"names":{},"software":"","proof":""}', proof

    def verify(self, text, proof, record=None):
        return verify.verify_proof(text, (record or self.record) | {"proof": proof}, [self.house.key], [self.witness.key])

    def test_whose_keys(self):
        """The signature of the house stands for no witness, and that of a witness for no house."""
        house, witness = (f"{s.name}+{s.id.hex()}+{base64.b64encode(bytes([s.kind]) + s.public).decode()}" for s in (self.house, self.witness))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "record.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("{}")
            for flag, key, status in (("--witness", house, 2), ("--key", witness, 2), ("--key", house, 1), ("--witness", witness, 1)):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(verify.main([flag, key, path]), status, (flag, key))

    def test_the_signer(self):
        signer = Signer(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        self.assertEqual((signer.public.hex(), "", signer.sign(b"").hex()), VECTORS[0])

    def test_a_proof(self):
        checkpoint, _, said = self.verify(*self.made())
        self.assertEqual((checkpoint.size, said[0], said[1]), (11, "leaf 5 of 11", "signed by trey-house/a"))
        self.assertIn("witnessed by witness.example/w1 at 2026-11-22", said[2])

    def test_an_index_in_other_digits(self):
        for index in ("05", "\N{ARABIC-INDIC DIGIT FIVE}", "+5", "5 "):
            self.assertRaisesRegex(tlog.Failure, "no index", self.verify, *self.made(index=index))

    def test_a_step_behind_its_leaf(self):
        text, proof = self.made()
        record = self.record | {"steps": [{"seq": 5, "at_ms": 1000}, {"at_ms": 2000}]}
        self.assertRaisesRegex(tlog.Failure, "its leaf is not behind all steps", self.verify, text, proof, record)

    def test_what_stands_behind_the_names(self):
        text, proof = self.made()
        for forged in (text[:-1] + ',"steps":[]}', text.replace('"software"', '"seed":{},"software"'), text.replace('"software":"",', ""),
                       text.replace(',"names":{}', ',"proof":"","names":{}'), '{"carried":' + text + ',"ended":""}'):
            self.assertRaises((tlog.Failure, tlog.Unreadable), self.verify, forged, proof)

    def test_the_checkpoint_before_the_bets(self):
        text, proof = self.made()
        other = Signer(bytes([2] * 32))
        for signer, holds in ((self.house, True), (other, False)):
            note = "trey-house/a\n3\n" + base64.b64encode(bytes(32)).decode() + "\n"
            record = self.record | {"seed": {"checkpoint": note + "\n" + signer.line(note)}}
            if holds:
                self.assertEqual([c.size for c in self.verify(text, proof, record)[1]], [3])
            else:
                self.assertRaises(tlog.Failure, self.verify, text, proof, record)

    def test_nobody_saw_the_checkpoint_before_the_bets(self):
        text, proof = self.made()
        note = "trey-house/a\n3\n" + base64.b64encode(bytes(32)).decode() + "\n"
        signed = note + "\n" + self.house.line(note)
        for seed, said in (({}, "no checkpoint covers"), ({"checkpoint": signed}, "w1 did not cosign the checkpoint before"), ({"checkpoint": signed + self.witness.line(note)}, "")):
            found = [s for s in self.verify(text, proof, self.record | {"seed": seed})[2] if "the house's word" in s]
            self.assertEqual(len(found), bool(said), found)
            self.assertTrue(not said or said in found[0], found)
        wrong = signed + self.witness.line(note + "x")
        self.assertRaisesRegex(tlog.Failure, "the signature of", self.verify, text, proof, self.record | {"seed": {"checkpoint": wrong}})

    def test_a_jackpot_that_fell(self):
        before = {"meter": 1200, "hits_paid": 1}
        for meter, hits, said in ((1202, 1, 0), (1199, 1, 1), (1000, 2, 0), (999, 2, 1)):
            after = {"meter": meter, "hits_paid": hits, "terms": {"reset": 1000}}
            self.assertEqual(len(list(verify.unexplained(before, after))), said, (meter, hits))
            self.assertEqual(list(verify.unexplained({}, after)), [])
        self.assertRaises(tlog.Failure, list, verify.unexplained(before, before | {"hits_paid": 0}))

    def test_a_succession(self):
        """Keys that were named one after the other verify; a note of another key, or one that was altered, names none."""
        def line(signer):
            return f"{signer.name}+{signer.id.hex()}+{base64.b64encode(bytes([signer.kind]) + signer.public).decode()}"

        def note(by, named):
            text = f"trey key v1\n{line(named)}\n"
            return text + "\n" + by.line(text)

        first, second, other, elsewhere = (Signer(bytes([n] * 32), "trey-house/a") for n in (7, 8, 9, 10))
        far = Signer(bytes([11] * 32), "trey-house/b")
        notes = [note(first, second), note(second, self.house)]
        altered = notes[1].replace(line(self.house), line(other))
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as null, contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
            text, proof = self.made()
            path, succession = os.path.join(folder, "record.json"), os.path.join(folder, "succession")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace('"proof":""', '"proof":' + json.dumps(proof)))
            for key, of, status in (
                (first, notes, 0), (second, notes, 0), (first, notes[1:], 2), (other, notes, 2), (first, [note(elsewhere, self.house), notes[0]], 1),
                (first, [notes[0], altered], 1), (first, [note(first, far)], 2), (self.house, [], 0), (first, [], 1),
            ):
                with open(succession, "w", encoding="utf-8") as file:
                    file.write("---\n".join(of))
                with unittest.mock.patch.object(verify, "verify_round", lambda record: []):
                    self.assertEqual(verify.main([path, "--key", line(key), "--succession", succession]), status, (line(key), of))

    def test_a_fork_before_the_bets(self):
        first = tlog.root_of([tlog.sha256(bytes([0, n])) for n in range(3)])
        for root, origin, status in ((first, "trey-house/a", 0), (bytes(32), "trey-house/a", 1), (first, "trey-house/b", 0)):
            note = f"{origin}\n3\n{base64.b64encode(root).decode()}\n"
            record = self.record | {"seed": {"checkpoint": note + "\n" + Signer(bytes(32), origin).line(note)}}
            with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
                text, proof = self.made(record, folder)
                path, keys = os.path.join(folder, "record.json"), []
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text.replace('"proof":""', '"proof":' + json.dumps(proof)))
                for signer in (self.house, Signer(bytes(32), "trey-house/b")):
                    material = base64.b64encode(bytes([signer.kind]) + signer.public).decode()
                    keys += ["--key", f"{signer.name}+{signer.id.hex()}+{material}"]
                with unittest.mock.patch.object(verify, "verify_round", lambda record: []):  # the round is not what this is about
                    self.assertEqual(verify.main([path, *keys, "--tiles", folder]), status, (root, origin))
                    self.assertEqual(verify.main([path, *keys]), 0, (root, origin))

    def test_nobody_known(self):
        text, proof = self.made()
        said = verify.verify_proof(text, self.record | {"proof": proof}, [], [])[2]
        self.assertIn("not signed by a house you know (trey-house/a)", said)
        for keys in ([Signer(bytes([2] * 32)).key], []), ([self.house.key], [Signer(bytes([2] * 32), "w", 4).key]):
            self.assertRaises(tlog.Failure, verify.verify_proof, text, self.record | {"proof": proof}, *keys)

    def test_every_byte_counts(self):
        text, proof = self.made()
        for i in range(0, text.index(',"names"'), 3):
            self.assertRaises(tlog.Failure, self.verify, text[:i] + chr(ord(text[i]) ^ 1) + text[i + 1:], proof)
        for i in range(0, len(proof) - 1, 11):
            if proof[i] not in "=\n" and proof[i - 1:i + 2] != "\n\N{EM DASH} ":
                self.assertRaises(tlog.Failure, self.verify, text, proof[:i] + chr(ord(proof[i]) ^ 1) + proof[i + 1:])
        for record in ({"table": "two"}, {"round": 8}, {"steps": [{"at_ms": 1000}, {"at_ms": 2001}]}):
            self.assertRaises(tlog.Failure, self.verify, text, proof, self.record | record)


class Archives(unittest.TestCase):
    """Two segments of a house with 515 leaves, each edited in one place."""

    house = Signer(bytes(32), "trey-house/" + tlog.sha256(b"\0trey origin v1\nx\n").hex()[:32])

    def setUp(self):
        self.lines = [json.dumps({"seq": n, "at_ms": 1000 + n, "salt": base64.b64encode(bytes(32)).decode(), "line": {"cause": {"by": f"#{n}"}}}, separators=(",", ":"))
                      for n in range(1, 515)]
        self.hashes = [tlog.sha256(b"\0trey origin v1\nx\n")] + [archive.leaf_hash(line, "it")[1] for line in self.lines]

    def growth(self, size, first, end, from_start=True):
        """Returns the proof of consistency as RFC 6962 defines it, 2.1.2."""
        if size == end:
            return [] if from_start else [tlog.root_of(self.hashes[first:end])]
        half = first + tlog.left_part(end - first)
        if size <= half:
            return self.growth(size, first, half, from_start) + [tlog.root_of(self.hashes[half:end])]
        return self.growth(size, half, end, False) + [tlog.root_of(self.hashes[first:half])]

    def header(self, first, last, **other):
        def encode64(data):
            return base64.b64encode(data).decode()

        text = f"{self.house.name}\n515\n{encode64(tlog.root_of(self.hashes))}\n"
        return {"archive": "trey archive v1", "origin": "trey origin v1\nx\n", "first": first, "last": last, "root": encode64(tlog.root_of(self.hashes[:last + 1])),
                "checkpoint": text + "\n" + self.house.line(text), "growth": [encode64(h) for h in self.growth(last + 1, 0, 515)]} | other

    def verify(self, one={}, two={}, edit=lambda lines: None, older=()):
        lines = [json.dumps(self.header(1, 255) | one, separators=(",", ":"))] + self.lines[:255]
        lines += [json.dumps(self.header(256, 511) | two, separators=(",", ":"))] + self.lines[255:511]
        edit(lines)
        return archive.verify_archive(lines, "it", [self.house.key], [], older)

    def noted(self, size, root, origin=None):
        text = f"{origin or self.house.name}\n{size}\n{base64.b64encode(root).decode()}\n"
        signer = self.house if origin is None else Signer(bytes(32), origin)
        return tlog.Checkpoint(text + "\n" + signer.line(text), "the noted one")

    def test_an_archive(self):
        said = self.verify(older=[self.noted(100, tlog.root_of(self.hashes[:100]))])
        self.assertEqual(said, ["transactions 1 to 511", f"signed by {self.house.name}", "goes on from the noted one"])

    def test_forged_archives(self):
        other, twice = base64.b64encode(bytes(32)).decode(), '"parts":[{"stream":"a","record":"x","of_round":1},{"stream":"b","record":"x","of_round":1}]'
        for n, (arguments, said) in enumerate([
            ({"one": {"archive": "trey archive v2"}}, "a segment of another form"),
            ({"two": {"more": 1}}, "a segment of another form"),
            ({"edit": lambda lines: lines.__setitem__(9, lines[9].replace("}}}", '},"postings":[]}}'))}, "it has fields that say nothing"),
            ({"two": {"first": 255}}, "a segment begins with 255"),
            ({"edit": lambda lines: lines.pop(0)}, "no header of a segment"),
            ({"edit": lambda lines: lines.pop(9)}, "it has the number 10"),
            ({"edit": lambda lines: lines.pop()}, "missing at the end"),
            ({"one": self.header(1, 254)}, "the next one begins with 256"),
            ({"one": {"root": other}}, "its transactions have another root"),
            ({"edit": lambda lines: lines.__setitem__(9, lines[9].replace('"#9"', '"#8"'))}, "its transactions have another root"),
            ({"two": {"checkpoint": self.checkpoint(515, "trey-house/b")}}, "its checkpoint is of another house"),
            ({"two": {"checkpoint": self.checkpoint(100)}}, "its checkpoint does not cover it"),
            ({"two": {"growth": [other]}}, "does not go on from it"),
            ({"two": {"growth": self.header(256, 511)["growth"] + [other]}}, "does not go on from it"),
            ({"older": [self.noted(100, bytes(32))]}, "two histories"),
            ({"edit": lambda lines: lines.__setitem__(9, lines[9].replace('"seq":', '"seq" :'))}, "it has blanks"),
            ({"edit": lambda lines: lines.__setitem__(9, lines[9].replace("}}}", "}," + twice + "}}"))}, "it commits to two rounds"),
        ]):
            with self.subTest(n=n, said=said):
                self.assertRaisesRegex(tlog.Failure, said, self.verify, **arguments)

    def test_two_trees(self):
        """The house went on from a copy, under another leaf 0, after its first segment."""
        first, before = self.header(1, 255), self.hashes[0]
        origin = "trey origin v1\ny\ncontinues \"x\"\n"
        self.hashes[0] = tlog.sha256(b"\0" + origin.encode())
        self.house = Signer(bytes(32), "trey-house/" + self.hashes[0].hex()[:32])
        second = self.header(256, 511, origin=origin)
        self.assertIn(f"signed by {self.house.name}", self.verify(one=first, two=second))
        for one, said in [({"root": second["root"]}, "its transactions have another root"), ({"checkpoint": second["checkpoint"]}, "of another house"),
                          ({"growth": first["growth"] + first["growth"][:1]}, "does not go on from it"), ({"origin": "trey origin v1\nz\n"}, "its transactions have another root")]:
            with self.subTest(said=said):
                self.assertRaisesRegex(tlog.Failure, said, self.verify, one=first | one, two=second)
        plain = origin.replace("continues", "beside")
        self.hashes[0] = tlog.sha256(b"\0" + plain.encode())
        self.assertRaisesRegex(tlog.Failure, "of another house", self.verify, one=first, two=self.header(256, 511, origin=plain))
        self.assertNotEqual(before, self.hashes[0])

    def checkpoint(self, size, name=None):
        text = f"{name or self.house.name}\n{size}\n{base64.b64encode(tlog.root_of(self.hashes[:size])).decode()}\n"
        return text + "\n" + self.house.line(text)


class Cards(unittest.TestCase):
    def test_the_deck_of_the_document(self):  # docs/fair-dealing.md
        deck = cards.deck_of(bytes.fromhex("b1603088d774914773841aa6d351c40f77de08a9299e124a6116e15618bdacb4"))
        self.assertEqual(" ".join(deck[:9] + deck[-3:]), "2d Qd 3s 8d 2s 9d 8h 9h 5s 9s Qs Ks")
        self.assertEqual(len(set(deck)), 52)

    def test_how_many_hands_of_each_class(self):
        deck = [r + s for r in "23456789TJQKA" for s in "cdhs"]
        counts = dict.fromkeys(range(6), 0)
        combos = dict.fromkeys(("akq-spades", "akq-suited", "three-kings", "three-pictures", "picture-pair", "any-king"), 0)
        for hand in itertools.combinations(deck, 3):
            counts[cards.poker_rank(hand)[0]] += 1
            for combo in combos:
                combos[combo] += cards.makes(combo, hand)
        self.assertEqual(list(counts.values()), [16440, 3744, 1096, 720, 52, 48])
        # 4 kings with two of 40 others, or with one of the 8 queens and jacks and one of 40.
        self.assertEqual(combos, {"akq-spades": 1, "akq-suited": 4, "three-kings": 4, "three-pictures": 220,
                                  "picture-pair": 3 * 6 * 40, "any-king": 4 * 780 + 4 * 8 * 40})

    def test_the_order_of_hands(self):
        for better, worse in [("Kc Qd Jh", "Jc Td 9h"), ("5c 5d Kh", "5h 5s Qh"), ("Ac Kd Jh", "Ad Kc Th"), ("4c 3d 2h", "3c 2d Ah"),
                              ("3c 2d Ah", "Ac Qc 9c"), ("2c 2d 2h", "Ac Kd Qh"), ("3c 2c Ac", "Ac Ad Ah")]:
            self.assertGreater(cards.poker_rank(better.split()), cards.poker_rank(worse.split()))
        for one, other in [("Kc Tc 2c", "Kh 9h 3h"), ("Ac Qc 9c", "Ad 4d 2d")]:
            self.assertEqual(cards.highest_card_rank(one.split()), cards.highest_card_rank(other.split()))
        for better, worse in [("Kc 3c 2c", "Qh Jh 9h"), ("Kc Td 2h", "Kh 9d 3c"), ("Kc Kd 3h", "Kh Ks 2c"), ("4c 3d 2h", "Ac Qc 9c")]:
            self.assertGreater(cards.highest_card_rank(better.split()), cards.highest_card_rank(worse.split()))
        for better, worse in [("Jc Qd Kh", "Kc Qd 9h"), ("Qd Jh 9c", "Qd 7c 2d"), ("Qd 7c 2d", "6h 9h 4c"), ("6h 9h 4c", "Qd Jh 8c"), ("Qd 8c 2h", "4h 7h 9c")]:
            self.assertGreater(cards.pictures_rank(better.split()), cards.pictures_rank(worse.split()))
        self.assertEqual(cards.pictures_rank("Kc Kd 2h".split()), cards.pictures_rank("Qc Jd 2s".split()))

    def test_a_combination_that_is_not_known(self):
        with self.assertRaisesRegex(tlog.Failure, "does not know which hands are all-red"):
            cards.makes("all-red", "Qs Qh Qc".split())

    def test_a_hand_is_of_one_class(self):
        self.assertFalse(cards.makes("pair", "Qs Qh Qc".split()))
        self.assertFalse(cards.makes("flush", "4c 3c 2c".split()))
        self.assertFalse(cards.makes("straight", "4c 3c 2c".split()))


class Pays(unittest.TestCase):
    def test_rounding(self):
        rules = verify.Rules.__new__(verify.Rules)
        for unit, favour, due in [(1, "player", 13), (1, "house", 12), (50, "player", 50), (50, "house", 0)]:
            rules.rounding = {"unit": unit, "favour": favour}
            self.assertEqual(rules.winnings(25, {"to": 1, "for": 2}), due)


REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def document(*path):
    with open(os.path.join(REPOSITORY, *path), encoding="utf-8") as file:
        return file.read()


def body(record, kind, nth=0):
    """Returns the body of an event, of the table, the jackpot or the seeds."""
    every = [e for s in record["steps"] for field in ("events", "moved", "seeds") for e in s.get(field, [])]
    return [e["body"] for e in every if e["kind"] == kind][nth]


def step(record, kind, nth=0):
    return [s for s in record["steps"] if s["kind"] == kind][nth]


def restated(record, field, old, new):
    """Alters declaration or terms, and the hashes with them."""
    need = record[field].replace(old, new)
    assert need != record[field], old
    if field == "declaration":
        record["terms"] = record["terms"].replace(tlog.sha256(record[field]).hex(), tlog.sha256(need).hex())
    record[field] = need
    record["rules_hash"] = tlog.sha256(record["terms"]).hex()


def without_event(record, kind):
    for s in record["steps"]:
        s["events"] = [e for e in s.get("events", []) if e["kind"] != kind]


def moved_to(record, kind, target):
    """Takes the seeds of a step to another one."""
    target["seeds"] = step(record, kind).pop("seeds")


def behind(record, kind, other):
    """Puts a step behind another one, with its number and time."""
    first, last = step(record, kind), step(record, other)
    steps = record["steps"]
    steps.remove(first)
    steps.insert(steps.index(last) + 1, first)
    numbers = sorted(s["seq"] for s in steps if "seq" in s)
    for s, number in zip(steps, numbers):
        s["seq"] = number


def checkpoint_of(size):
    return lambda r: r["seed"].update(checkpoint=re.sub(r"\n\d+\n", f"\n{size}\n", r["seed"]["checkpoint"], count=1))


def inserted(record, kind, what, by="dealer", **more):
    """Puts a step before another one, or with no kind behind all; all are numbered anew."""
    steps = record["steps"]
    name = next((s["by"]["name"] for s in steps if s["by"]["role"] == by), "#3")
    at = steps.index(step(record, kind)) if kind else len(steps)
    steps.insert(at, {"at_ms": steps[at - 1]["at_ms"], "by": {"name": name, "role": by}, "kind": what} | {"body": {}} | more)
    for n, s in enumerate(steps):
        s["seq"] = steps[0]["seq"] + n
    steps[-1].pop("seq")


def event(kind, **fields):
    return {"kind": kind, "body": fields}


def back(*stakes, **more):
    """Returns lines by which stakes go back."""
    return [{"box": b, "player": p, "wager": w, "stake": a, "result": "returned", "pays": 0, "returned": a, "clause": "dealing.2"} | more for b, p, w, a in stakes]


def reported(incident, outcome, clause, **more):
    return {"incident": incident} | more, event("reported", report={"incident": incident} | more, outcome=outcome, clause=clause)


def booked(record):
    """Works lines and postings out anew, as a forger does who keeps the books right."""
    def settle(table, lines, due, place):
        lines[:] = json.loads(json.dumps(due))
        table.pay(lines, place)

    with unittest.mock.patch.object(verify, "need", lambda *_: None), unittest.mock.patch.object(verify.Table, "settle", settle):
        table, meter = verify.Table(record, verify.Rules(record), None), {}
        for s in record["steps"]:
            meter = dict(s.get("meter", meter))
            table.begin(s)
            for e in s.get("events", []):
                e["body"] |= {"lines": e["body"].get("lines", [])} if e["kind"] in ("settled", "forfeits-collected") else {}
                table.follow(e, "")
                e["body"] = {k: v for k, v in e["body"].items() if k != "lines" or v}
            for e in s.get("moved", []):
                verify.follow_jackpot(meter, e, table, "")
            s["postings"] = json.loads(json.dumps(table.postings))


def found_late(record, amount, **more):
    bet = {"box": 1, "player": "#3", "wager": "ante", "amount": amount} | more
    inserted(record, "settle", "found", body=bet, events=[event("stake-found", clause="dealing.2", **bet)])
    booked(record)


def decided_late(record, kind, **more):
    """Takes the decision of box 1 out, and has it folded or nothing done after the reveal."""
    record["steps"].remove(step(record, "raise"))
    if kind:
        inserted(record, "settle", kind, events=[event("hand-folded", box=1, player="#3", clause="dealing.4")], **more)
    booked(record)


def voided(record, kind, *events):
    """Ends the round void with a step, and takes away what was behind it."""
    last = record["steps"].index(step(record, kind))
    del record["steps"][last + 1:]
    s, seed = record["steps"][last], {"round": 1, "seed": record["seed"]["seed"]}
    bets = [(1, "#3", "ante", 1000), (1, "#3", "pair-plus", 500)] + [(1, "#3", "play", 1000)] * (kind == "settle") + [(2, "#4", "ante", 1000)] * (kind == "deal")
    s.update(events=[*s["events"] * (kind == "deal"), *events, event("round-voided", clause="dealing.2", lines=back(*bets))], seeds=[event("seed-revealed", **seed)])
    s.pop("seq", None)
    record["ended"] = "void"


def reported_late(record):
    report, result = reported("interruption", "round-void", "dealing.2", lasted_ms=1)
    voided(record, "settle", result)
    record["steps"][-1].update(kind="report", body=report)
    booked(record)


def corrected(record, how, *lines, remedies=None):
    """Corrects payments behind the end, by a report or an answer."""
    body, result = reported("uncovered", "continue", "x")
    if how == "answer":
        body = {"answer": "remedy"} | ({"remedies": remedies} if remedies else {})
        result = event("question-answered", key="resolve", by={"name": "#9", "role": "shift-manager"}, clause="ruling.silent_irregularity", **body)
    inserted(record, None, how, "shift-manager", body=body, events=[result, event("payment-corrected", clause="x", lines=list(lines))])
    record["steps"][-1]["by"]["name"] = "#9"


def asked(record, before=None):
    """Puts something to the shift manager, before a step or when the round has ended."""
    report, result = reported("uncovered", "ask", "ruling.silent_irregularity")
    cases = {i["incident"]: i["cases"] for i in json.loads(record["declaration"])["incidents"]}
    question = next(c["question"] for c in cases["uncovered"] if "question" in c)
    answers = [{"key": a["answer"], "then": a["then"], "clause": a["clause"]} for a in question["answers"]]
    inserted(record, before, "report", body=report, events=[result, event("question-asked", question={
        "key": "resolve", "role": question["role"], "clause": question["clause"], "answers": answers, "report": report, "by": {"name": "#5", "role": "dealer"}})])


def answered(record, before, answer, *events, **more):
    """Has the shift manager answer what is put to them before a step."""
    asked(record, before)
    clause = next(a["clause"] for a in body(record, "question-asked")["question"]["answers"] if a["key"] == answer)
    result = event("question-answered", key="resolve", answer=answer, by={"name": "#9", "role": "shift-manager"}, clause=clause, **more)
    inserted(record, before, "answer", body={"answer": answer} | more, events=[result, *events])
    step(record, "answer")["by"] = {"name": "#9", "role": "shift-manager"}


def restored(record):
    """Has the decision of box 1 undone when the dealer's hand is turned, and the hand folded."""
    undone = event("decision-restored", box=1, player="#3", was="played", clause="x", lines=back((1, "#3", "play", 1000)))
    answered(record, "settle", "remedy", undone, remedies=[{"do": "restore", "box": 1, "reason": "so"}])
    inserted(record, "settle", "expire", events=[event("hand-folded", box=1, player="#3", clause="rules.3")])
    booked(record)


def settled_unseen(record):
    """Settles the round before the dealer's hand is turned, by an answer."""
    lines = event("settled", lines=[])
    answered(record, "reveal", "remedy", lines, remedies=[{"do": "invalidate", "box": b, "reason": "so"} for b in (1, 2)])
    last = step(record, "answer")
    last["seeds"] = step(record, "settle")["seeds"]
    del last["seq"], record["steps"][record["steps"].index(last) + 1:]
    booked(record)


def awarded(amount, box=1, player="#3"):
    """Returns the line of an award for an Ante, and the remedy that lists it."""
    line = back((box, player, "ante", 0), result="win", pays=amount, returned=amount, clause="x")[0]
    return line, {"do": "award", "box": box, "player": player, "wager": "ante", "amount": amount, "reason": "so"}


def award(record, *args):
    line, remedy = awarded(*args)
    asked(record)
    corrected(record, "answer", line, remedies=[remedy])


COLLECTED = back((1, "#3", "ante", 0), reverses=2000, clause="x")[0]


def swapped(record):
    """Gives a player's royal to the dealer, by a report."""
    report, result = reported("uncovered", "continue", "5.8")
    moves = [{"slot": n, "to": "dealer" if n < 3 else "1"} for n in range(6)]
    inserted(record, "raise", "report", body=report, events=[result, event("cards-moved", clause="5.8", moves=moves)])


def kept_down(record):
    inserted(record, "settle", "keep-down", body={"box": 1}, events=[event("hand-kept-down", box=1, clause="4.5")])
    s = step(record, "settle")
    s["events"] = [e for e in s["events"] if e["kind"] != "hand-shown"]
    s["body"].pop("meter")
    s.pop("moved")
    body(record, "settled").pop("meter")
    booked(record)


def moved(record, kind, meter, **fields):
    """Has something happen to the jackpot that holds 10,004.00, before the decision of box 1."""
    balance = {"meter": meter, "reserve": 0, "remainder": 0}
    step(record, "raise")["moved"] = [event(kind, balance=balance, **fields)]
    hit = body(record, "hit-paid", -1)
    hit.update(amount=meter, from_meter=meter)
    step(record, "settle")["body"]["meter"] = body(record, "settled")["meter"] = meter


HIT = {"table": "A", "round": "1", "box": 2}


def phantom(record):
    moved(record, "hit-paid", 1_000_000, hit=HIT, dealt={"at_ms": 1, "sequence": 2}, amount=1_000_400, from_meter=1_000_400, from_house=0,
          reset_by_house=1_000_000, reset_from_reserve=0)


def new_terms(record):
    hit = body(record, "hit-paid")
    hit.update(new_terms={"bet": 500, "reset": 1, "rate": {"num": 0, "den": 100}, "ceiling": 100, "overflow": "on-top"}, reset_by_house=1)
    hit["balance"]["meter"] = 1
    booked(record)


def unconfirmed(record):
    s = step(record, "settle")
    s["moved"] = [e for e in s["moved"] if e["kind"] != "hit-confirmed"]


def held(record, **more):
    body(record, "hit-paid").update(held=True, **more)
    booked(record)


def uncounted(record):
    step(record, "close-bets").pop("moved")
    hit = body(record, "hit-paid")
    hit.update(amount=1_000_200, from_meter=1_000_200)
    step(record, "settle")["body"]["meter"] = body(record, "settled")["meter"] = 1_000_200
    booked(record)


def refolded(record):
    """Folds the hand that was played, by a report that the book knows."""
    report, result = reported("walked-away", "fold", "rules.3", player="#3")
    inserted(record, "reveal", "report", body=report, events=[
        result, event("decision-restored", box=1, player="#3", was="played", clause="x", lines=back((1, "#3", "play", 1000))), event("hand-folded", box=1, player="#3", clause="rules.3")])
    booked(record)


def folded(record, kind, player, body, by, *events):
    """Folds box 1, which its player would have played."""
    record["steps"].remove(step(record, "raise"))
    inserted(record, "reveal", kind, by["role"], body=body, events=[*events, event("hand-folded", box=1, player=player, clause="rules.3")])
    step(record, kind, -1)["by"] = by
    booked(record)


def collected(record, amount):
    """Has a person decide to collect an amount."""
    answers = [s["body"] for s in record["steps"]] + [e["body"] for s in record["steps"] for e in s.get("events", [])]
    for remedy in [r for a in answers for r in a.get("remedies", []) if r["do"] == "collect"]:
        remedy["amount"] = amount


def sown(record, player, instead):
    """Has all 64 places taken, and the seed of a player give way."""
    texts = {o["player"]: o["text"] for o in record["seed"]["own"]}
    rest = [(f"#{n}", None) for n in range(100, 164 - len(texts))]
    for name, out in [*rest, (player, instead)]:
        more = {"instead": out} if out else {}
        inserted(record, "close-bets", "add-seed", "player", body={"text": "x"}, seeds=[event("seed-added", round=1, player=name, text="x", **more)])
        record["steps"][record["steps"].index(step(record, "close-bets")) - 1]["by"]["name"] = name
        texts.pop(out, None)
        texts[name] = "x"
    record["seed"]["own"] = [{"player": p, "text": texts[p]} for p in sorted(texts)]


def owed(record, source, **about):
    s = next(s for s in record["steps"] if any(p["for"]["reason"] == "collected" for p in s.get("postings", [])))
    player = next(p["from"] for p in s["postings"] if p["for"]["reason"] == "collected")
    s["postings"].append({"from": source or player.replace("player", "owed"), "to": player, "amount": 1, "for": {"reason": "unpaid", "table": "A", "round": 1} | about})


# What is forged of which sample, and what is said of it: each guard of verify.py bites once.
FORGED = [
    ("settled", lambda r: step(r, "settle")["events"].append(event("payment_corrected", clause="x", lines=[awarded(10**8)[0]])), 'version 1 has no "payment_corrected"'),
    ("settled", lambda r: step(r, "settle")["events"].append(event("cards-swapped")), 'version 1 has no "cards-swapped"'),
    ("settled", lambda r: step(r, "settle").update(moved=[event("meter-emptied")]), 'version 1 has no "meter-emptied"'),
    ("settled", lambda r: inserted(r, "settle", "wink"), 'version 1 has no "wink"'),
    ("remedies", lambda r: owed(r, "player:#victim"), "is no debt"),
    ("remedies", lambda r: owed(r, "house"), "is no debt"),
    ("remedies", lambda r: owed(r, "", table="B"), "is no debt"),
    ("settled", lambda r: found_late(r, 10), "and cards have been seen"),
    ("settled", lambda r: found_late(r, 0, wager="pair-plus"), "and cards have been seen"),
    ("settled", lambda r: found_late(r, 500_000, player="#9", wager="play"), "and cards have been seen"),
    ("settled", lambda r: step(r, "settle")["events"].insert(0, event("bets-returned", clause="x", lines=back((1, "#3", "pair-plus", 500)))) or booked(r), "it follows from withdraw"),
    ("settled", lambda r: inserted(r, "settle", "withdraw", "player", body={"box": 1, "player": "#3", "wager": "pair-plus"}, events=[
        event("bets-returned", clause="x", lines=back((1, "#3", "pair-plus", 500)))]) or booked(r), "not at this moment: shown"),
    ("withdrawn", lambda r: inserted(r, "close-bets", "withdraw", "player", body={"box": 1, "player": "#3", "wager": "tie"}, events=[
        event("bets-returned", clause="x", lines=back((1, "#4", "main", 500)))]), "was asked for"),
    ("settled", lambda r: inserted(r, None, "settle", events=[event("settled")]), "not at this moment: over"),
    ("settled", lambda r: decided_late(r, "expire"), r"boxes \{1\} have not decided"),
    ("settled", lambda r: decided_late(r, ""), r"boxes \{1\} have not decided"),
    ("settled", lambda r: decided_late(r, "fold", body={"box": 1, "player": "#3"}), r"boxes \{1\} have not decided"),
    ("settled", lambda r: r["steps"].remove(step(r, "reveal")) or booked(r), "not at this moment: play"),
    ("settled", lambda r: step(r, "settle")["events"].insert(0, event("hand-invalidated", box=1, clause="x", lines=back(
        (1, "#3", "ante", 1000), (1, "#3", "pair-plus", 500), (1, "#3", "play", 1000)))) or booked(r), "it follows from >invalidate"),
    ("settled", lambda r: voided(r, "deal") or booked(r), "it follows from >void, and not from deal"),
    ("settled", reported_late, "the book does not make round-void by dealing.2 of interruption"),
    ("jackpot", swapped, "the book does not make continue by 5.8 of uncovered"),
    ("void", lambda r: step(r, "report")["events"].append(event("cards-moved", clause="x", moves=[{"slot": 0, "to": "2"}])), "it follows from >move-hands"),
    ("jackpot", lambda r: inserted(r, "raise", "report", body=reported("wrong-count", "", "", box=1)[0], events=[
        reported("wrong-count", "invalidate", "5.15", box=1)[1]]), "wrong-count cannot happen where no hand deals"),
    ("settled", refolded, "it follows from found or >found"),
    ("settled", lambda r: step(r, "raise").update(by={"name": "#9", "role": "guest"}), "#9 acts for #3"),
    ("settled", lambda r: inserted(r, "raise", "examine", "guest", body={"box": 2, "player": "#3"}, events=[event("hand-examined", box=2, player="#3")]), "#3 has no bet there"),
    ("settled", restored, "nobody decides any more"),
    ("settled", settled_unseen, "the dealer's hand is not turned"),
    ("settled", lambda r: answered(r, "raise", "move", event("cards-moved", clause="x", moves=[{"slot": 0, "to": "2"}])), "lie where they were dealt"),
    ("settled", lambda r: inserted(r, "reveal", "expire", events=[event("hand-folded", box=1, player="#3", clause="rules.3")]), "box 1 has decided"),
    ("settled", lambda r: inserted(r, "settle", "report", body=reported("interruption", "", "", round=0)[0], events=[
        reported("interruption", "void", "ruling.interruption", round=0)[1]]), "nothing changes an earlier round"),
    ("settled", lambda r: [b.update(amount=0) for b in (step(r, "bet")["body"], body(r, "bet-placed"))] + [step(r, "bet").pop("postings")], "it is no bet"),
    ("by-hand", lambda r: inserted(r, "close-bets", "report", body={"incident": "uncovered"}, events=[event("cards-dealt", at_ms=1, cards=[])]), "the bets are open"),
    ("jackpot", lambda r: [e["body"]["hit"].update(round="2") for e in step(r, "settle")["moved"] if "hit" in e["body"]], "it is of another round"),
    ("held", lambda r: body(r, "contributions-reversed").update(from_meter=201, from_house=-1), "that does not lie there"),
    ("held", lambda r: body(r, "hit-reversed").update(payable="#9"), "nothing is held for #9"),
    ("remedies", lambda r: body(r, "bets-returned")["lines"][0].update(stake=10**6, returned=10**6), "no such stake lies"),
    ("settled", lambda r: folded(r, "fold", "#9", {"box": 1, "player": "#9"}, {"name": "#9", "role": "guest"}), "#9 has no bet there"),
    ("settled", lambda r: folded(r, "report", "#3", {"incident": "walked-away", "player": "#4"}, dict(step(r, "deal")["by"]),
                                 reported("walked-away", "fold", "rules.3", player="#4")[1]), "#3 was not reported"),
    ("remedies", lambda r: [m.update(box=7) for b in (step(r, "answer")["body"], body(r, "question-answered")) for m in b["remedies"]], "no remedy is listed for"),
    ("settled", lambda r: step(r, "settle").update(by={"name": "#5", "role": "emperor"}), 'nobody is a "emperor"'),
    ("settled", lambda r: step(r, "add-seed")["by"].update(role="dealer"), "may not do this as dealer"),
    ("settled", lambda r: step(r, "settle").update(by={"name": "#3", "role": "player"}), "may not do this as player"),
    ("jackpot", lambda r: step(r, "raise").update(by=step(r, "open-bets")["by"]) or r["config"].pop("chips", 0), "may not do this as"),
    ("jackpot", phantom, "no hit is confirmed"),
    ("jackpot", lambda r: step(r, "settle")["moved"].extend([dict(e, body=e["body"] | {"hit": HIT} | {k: 1_000_000 for k in ("amount", "from_meter") if k in e["body"]})
                                                             for e in step(r, "settle")["moved"] if e["kind"].startswith("hit")]), r"boxes \{2\}, and no line pays it"),
    ("jackpot", unconfirmed, "no hit is confirmed"),
    ("jackpot", lambda r: held(r, winner="#8"), "is not the hit that is paid"),
    ("jackpot", lambda r: body(r, "hit-paid").update(winner="#8"), "is not the hit that is paid"),
    ("jackpot", lambda r: body(r, "hit-paid").update(held=True), "the sum is held for nobody"),
    ("jackpot", lambda r: moved(r, "contributions-reversed", 100_400, round={"table": "A", "round": "1"}, bets=0, cause="no-ante", stake=0,
                                from_meter=900_000, from_reserve=0, from_house=0), "0 bets, of 1 that were accepted"),
    ("jackpot", lambda r: moved(r, "hit-reversed", 100_400, hit=HIT, cause="folded", amount=0, to_meter=0, to_house=0, reset_to_house=900_000, to_reserve=0), "no hit is paid"),
    ("jackpot", new_terms, "other terms were waiting"),
    ("jackpot", kept_down, "its cards are known"),
    ("jackpot", uncounted, "contributed: 0 bets, and there are 1"),
    ("settled", lambda r: corrected(r, "report", COLLECTED), "the book does not make continue by x of uncovered"),
    ("settled", lambda r: corrected(r, "answer", COLLECTED), "no question is open"),
    ("settled", lambda r: award(r, 10**9, 9, "#77"), "awards more than the wager can bring"),
    ("settled", lambda r: award(r, 1), "awards more than the wager can bring"),
    ("settled", lambda r: (asked(r), corrected(r, "answer", awarded(1)[0], remedies=[awarded(2)[1]])), "is not what was decided"),
    ("remedies", lambda r: body(r, "question-answered")["by"].update(role="dealer"), "answers this"),
    ("remedies", lambda r: body(r, "question-asked")["question"]["answers"].pop(), "the book does not ask this"),
    ("remedies", lambda r: body(r, "question-answered").update(clause="x"), "no answer to the question that is open"),
    ("in-steps", lambda r: body(r, "question-asked")["question"]["by"].update(name="#6"), "#5 reported it, and nobody else"),
    ("in-steps", lambda r: [b.update(name="#5") for b in (step(r, "answer")["by"], body(r, "question-answered")["by"])], "nobody confirms their own report"),
    ("in-steps", lambda r: body(r, "reported")["report"].update(amount=1), "something else was reported"),
    ("failed", lambda r: body(r, "reported")["report"].update(before_look=True), "something else was reported"),
    ("withdrawn", lambda r: r.update(steps=[s for s in r["steps"] if not any(e["kind"] == "offers-made" for e in s.get("events", []))]), "was offered nothing"),
    ("settled", lambda r: step(r, "add-seed", 1)["seeds"][0]["body"].update(instead="#3"), "no other seed gives way"),
    ("settled", lambda r: sown(r, "#9", "#100"), "#100 need not give way to #9"),
    ("settled", lambda r: sown(r, "#9", "#3"), "#3 need not give way to #9"),
    ("settled", lambda r: sown(r, "#9", None), "or no room is left"),
    ("settled", lambda r: [inserted(r, "close-bets", "add-seed", "player", **{k: v for k, v in step(r, "add-seed").items() if k in ("body", "seeds")}) for _ in range(8)], "it is no seed"),
    ("settled", lambda r: [s.update(text="x\u2028") for s in (step(r, "add-seed")["body"], body(r, "seed-added"))], "it is no seed"),
    ("settled", lambda r: r["seed"]["committed"].update(at_ms=10**15), "it is not before the round"),
    ("settled", lambda r: r["carried"].update(more=1), "fields that version 1 has not: .'more'"),
    ("settled", lambda r: r["config"].update(more=1), "fields that version 1 has not: .'more'"),
    ("settled", lambda r: body(r, "cards-dealt").update(more=1), "fields that version 1 has not: .'more'"),
    ("settled", lambda r: body(r, "settled")["lines"][0].update(more=1), "fields that version 1 has not: .'more'"),
    ("settled", lambda r: step(r, "bet")["postings"][0]["for"].update(note="x"), "fields that version 1 has not: .'note'"),
    ("settled", lambda r: r.update(version=True), "true is of another kind"),
    ("settled", lambda r: body(r, "dealer-shown").update(qualifies=1), "1 is of another kind"),
    ("settled", lambda r: body(r, "dealer-shown")["hand"].reverse(), "in the order in which they were dealt"),
    ("settled", lambda r: r.update(type="another"), "it is no round record"),
    ("settled", lambda r: r.update(more=1), "fields that version 1 has not"),
    ("settled", lambda r: r["steps"][2].update(more=1), "fields that version 1 has not"),
    ("settled", lambda r: r.update(terms=r["terms"] + " "), "another hash than rules_hash"),
    ("settled", lambda r: r.update(declaration=r["declaration"] + " "), "the terms name another one"),
    ("settled", lambda r: restated(r, "terms", "trey terms 1", "trey terms 2"), "of another form"),
    ("settled", lambda r: r.update(book="us-3cp@2"), "the declaration is of"),
    ("settled", lambda r: restated(r, "declaration", '"contest":"hand"', '"contest":"six-cards"'), "does not settle .'six-cards'"),
    ("settled", lambda r: r.update(round=2), "the round begins twice, or it is another|the commitment is not"),
    ("by-hand", lambda r: r.update(round=2), "the round begins twice, or it is another"),
    ("by-hand", lambda r: r["config"].update(cards="virtual"), "a virtual deck has a seed"),
    ("by-hand", lambda r: r.update(ended="void"), "the round is in the phase"),
    ("by-hand", lambda r: r["steps"][1].update(at_ms=1), "not in their order"),
    ("by-hand", lambda r: r["steps"][1].pop("seq"), "not in their order"),
    ("by-hand", lambda r: step(r, "deal")["events"].append({"kind": "bet-placed", "body": body(r, "bet-placed")}), "it follows from bet, and not from deal"),
    ("by-hand", lambda r: r["steps"].append(dict(step(r, "bet"), seq=10**6)), "not at this moment: over|not in their order"),
    ("by-hand", lambda r: r["steps"].remove(step(r, "close-bets")), "not at this moment: betting"),
    ("by-hand", lambda r: without_event(r, "bets-closed"), "there is no bets-closed"),
    ("by-hand", lambda r: r["steps"].insert(1, dict(step(r, "close-bets"), seq=step(r, "open-bets")["seq"] + 1)), "not in their order|not at this moment: play"),
    ("settled", lambda r: step(r, "deal").update(events=step(r, "deal")["events"] + [{"kind": "bets-closed", "body": {}}]), "it follows from close-bets, and not from deal"),
    ("settled", lambda r: step(r, "raise")["events"].append({"kind": "hand-folded", "body": {"box": 1, "player": "#3", "clause": ""}}), "it follows from fold or"),
    ("settled", lambda r: step(r, "raise")["events"].append(step(r, "raise")["events"][0]), "there is no hand-raised, or several"),
    ("settled", lambda r: behind(r, "raise", "reveal"), "have not decided"),
    ("settled", lambda r: body(r, "hand-raised").update(amount=999), "is not the 1000 on which it rests"),
    ("remedies", lambda r: body(r, "decision-restored").update(was="played"), "that was not the decision"),
    ("remedies", lambda r: [c[0].update(card="9s") for c in (body(r, "cards-dealt")["cards"], step(r, "deal")["body"]["cards"])], "9s is dealt twice"),
    ("jackpot", lambda r: [c[0].update(card="2c") for c in (body(r, "cards-dealt")["cards"], step(r, "deal")["body"]["cards"])], "is not the next of the deck"),
    ("settled", lambda r: step(r, "deal")["events"].append({"kind": "cards-exposed", "body": {"slots": [0], "cards": ["2c"]}}), "it follows from report or answer"),
    ("void", lambda r: step(r, "report")["events"].append({"kind": "cards-exposed", "body": {"slots": [0], "cards": ["3c"], "corrected": True}}), "2s lies there, and not 3c"),
    ("void", lambda r: step(r, "report")["events"].append({"kind": "cards-moved", "body": {"moves": [{"slot": 0, "to": "2"}]}}), "fields that version 1 has not"),
    ("settled", lambda r: body(r, "cards-dealt")["cards"][0].update(place="2"), "4d goes to 1, and not to 2"),
    ("settled", lambda r: [c.update(place=p) for c, p in zip(body(r, "cards-dealt")["cards"], ["dealer"] * 3 + ["2"] * 3 + ["1"] * 3)], "goes to 1, and not to dealer"),
    ("settled", lambda r: [c[0].update(card="??") for c in (body(r, "cards-dealt")["cards"], step(r, "deal")["body"]["cards"])], r"\?\? is not the next of the deck"),
    ("by-hand", lambda r: step(r, "show")["body"].pop("hand") and body(r, "hand-shown").update(hand=["8h", "8h", "2c"]), "no hand of three cards"),
    ("settled", lambda r: body(r, "hand-shown").update(hand=["4d", "Ac", "2c"]), "5c was dealt there"),
    ("by-hand", lambda r: step(r, "show")["body"].pop("hand") and body(r, "hand-shown").update(hand=["Kd", "8d", "2c"]), "a card lies in two places"),
    ("settled", lambda r: without_event(r, "forfeits-collected"), "folded bets lie there"),
    ("settled", lambda r: body(r, "dealer-shown").update(qualifies=False), "qualify?"),
    ("settled", lambda r: body(r, "settled")["lines"][0].update(pays=999), "should be"),
    ("settled", lambda r: body(r, "settled")["lines"].reverse(), "should be"),
    ("settled", lambda r: body(r, "settled")["lines"].pop(), "there are 2 lines, and 3 are due"),
    ("settled", lambda r: step(r, "settle")["events"].append({"kind": "player-warned", "body": {"player": "#3", "clause": ""}}), "no low wager of #3 was settled"),
    ("remedies", lambda r: body(r, "payment-corrected").get("lines")[0].update(returned=20501), "is not what was decided"),
    ("remedies", lambda r: body(r, "payment-corrected", 1)["lines"][0].update(reverses=10**6) or collected(r, 10**6), "collects more than was paid"),
    ("void", lambda r: body(r, "round-voided")["lines"][0].update(returned=999), "is no stake that goes back"),
    ("void", lambda r: body(r, "round-voided")["lines"].pop(), "goes back, and"),
    ("in-steps", lambda r: body(r, "settlement-undone")["stakes"][0].update(amount=1), "is not what lay there"),
    ("remedies", lambda r: body(r, "bets-returned")["lines"][0].update(stake=400, returned=400), "goes back|should be"),
    ("jackpot", lambda r: [s.pop("meter", None) for s in r["steps"]], "does not say how the jackpot stood"),
    ("jackpot", lambda r: body(r, "contributed").update(to_meter=201), "to_meter is 201 and should be 200"),
    ("jackpot", lambda r: body(r, "hit-paid").update(reset_by_house=1), "reset_by_house is 1 and should be"),
    ("jackpot", lambda r: body(r, "contributed")["balance"].update(meter=1), "meter is 1 and should be"),
    ("held", lambda r: body(r, "hit-reversed").update(to_house=1), "to_house is 1 and should be 0"),
    ("settled", lambda r: step(r, "bet")["by"].update(name="#4"), "#4 acts for #3"),
    ("by-hand", lambda r: step(r, "bet")["by"].update(name="#4", role="dealer"), "#4 did not enter this bet|acts for"),
    ("settled", lambda r: step(r, "raise").update(kind="fold"), "there is no hand-folded"),
    ("settled", lambda r: step(r, "bet")["body"].update(amount=1001), "1001 was asked for, and 1000 followed"),
    ("in-steps", lambda r: step(r, "found")["body"].update(amount=7), "something else was reported"),
    ("in-steps", lambda r: body(r, "stake-found").update(amount=2001), "was stated"),
    ("in-steps", lambda r: body(r, "stake-found", 1).update(amount=1001), "'amount': 1000} was stated"),
    ("void", lambda r: step(r, "report")["body"].update(lasted_ms=1), "something else was reported"),
    ("settled", lambda r: r["seed"].update(commitment="0" * 64), "the commitment is not that of the seed"),
    ("settled", checkpoint_of(1), "it does not hold the commitment"),
    ("settled", checkpoint_of(9), "somebody relied on the commitment"),
    ("settled", lambda r: body(r, "seed-added").update(round=2), "a seed of another round"),
    ("settled", lambda r: step(r, "add-seed")["by"].update(name="#4"), "from somebody else"),
    ("settled", lambda r: step(r, "deal").update(seeds=step(r, "add-seed")["seeds"]) or step(r, "deal")["by"].update(name="#3"), "a seed came too late"),
    ("settled", lambda r: body(r, "seed-revealed").update(seed="0" * 64), "another seed was revealed"),
    ("settled", lambda r: moved_to(r, "settle", step(r, "reveal")), "revealed before the end"),
    ("settled", lambda r: step(r, "settle").pop("seeds"), "it was not revealed, or twice"),
    ("settled", lambda r: step(r, "settle").update(seeds=step(r, "settle")["seeds"] * 2), "it was not revealed, or twice"),
    ("settled", lambda r: r["seed"]["own"].pop(), "these are not the seeds that players added"),
    ("settled", lambda r: step(r, "bet")["postings"][0].update(amount=999), "posting 1: "),
    ("settled", lambda r: step(r, "bet")["postings"].append(step(r, "bet")["postings"][0]), "there are 2 postings"),
    ("settled", lambda r: step(r, "settle")["postings"].append({"from": "owed:#3", "to": "player:#3", "amount": 5, "for": {"reason": "unpaid", "table": "A", "round": 1}}), "more is owed than was collected"),
    ("settled", lambda r: [without_event(r, "settled"), step(r, "settle").update(postings=[])], "revealed before the end|in the phase|left on the layout"),
]


class Rounds(unittest.TestCase):
    def test_forged_samples(self):
        for n, (name, forge, said) in enumerate(FORGED):
            record = json.loads(document("internal", "house", "proof", "testdata", name + ".json"))
            verify.verify_round(json.loads(json.dumps(record)))
            forge(record)
            with self.subTest(n=n, sample=name, said=said):
                self.assertRaisesRegex(verify.Failure, said if "\\" in said else said.replace("?", r"\?"), verify.verify_round, record)


class Documents(unittest.TestCase):
    def test_the_leaf_of_the_document(self):  # docs/record.md, "A leaf"
        text = document("docs", "record.md")
        line = re.search(r'^\{"seq":29,.*\}$', text, re.M)[0]
        leaf = re.search(r"^trey transaction v1\n29\n.*\n.*\n", text, re.M)[0]
        number, found = archive.leaf_hash(line, "the document")
        self.assertEqual((number, found), (29, tlog.sha256(b"\0" + leaf.encode())))
        self.assertIn(f"the hash of the leaf in the tree `{found.hex()}`", text)
        salt = base64.b64decode(json.loads(line)["salt"])
        for place, name, said, commitment in re.findall(r"^\| (\d) \| `(.*?)` \| (.*) \| `([0-9a-f]{64})` \|$", text, re.M):
            events = '[{"kind":"dealer-shown",' + line.split('[{"kind":"dealer-shown",')[1].removesuffix("}]}}")
            said = {"nothing": ""}.get(said, events if said.startswith('`[{"kind"') else said.strip("`"))
            self.assertEqual(archive.section_hash(salt, int(place), name, said).hex(), commitment, name)

    def test_the_proof_of_the_document(self):  # docs/round-record.md, "The proof"
        text, sample = document("docs", "round-record.md"), document("internal", "house", "proof", "testdata", "settled.json")
        record = json.loads(sample)
        self.assertIn("```\n" + record["proof"] + "```\n", text)
        said = dict(re.findall(r"^\| `([a-z ]+)` \| `([0-9a-f]{64})` \|$", text, re.M))
        self.assertEqual(said["digest"], tlog.sha256(sample[:sample.rindex(',"names":{')] + "}").hex())
        salt, others = (base64.b64decode(record["proof"].split()[2])[i:i + 32] for i in (0, 32))
        commitment = tlog.sha256(b"trey section v1\n" + salt + b"record table:A 1\n" + said["digest"].encode())
        content = tlog.sha256(others + commitment)
        leaf = tlog.sha256(b"\0trey transaction v1\n21\n1000000\n" + base64.b64encode(content) + b"\n")
        self.assertEqual([said[v] for v in ("commitment", "content", "leaf hash")], [commitment.hex(), content.hex(), leaf.hex()])

    def test_lines_that_are_none(self):
        line = re.search(r'^\{"seq":29,.*\}$', document("docs", "record.md"), re.M)[0]
        for bad in (line[:-1], line + " ", line.replace('"seq":29,', '"seq":29,"seq":29,'), line.replace('"seq":29,"at_ms":1736942400083', '"at_ms":1736942400083,"seq":29'),
                    line.replace('"line":{', '"line":{"more":1,'), line.replace('"parts":', ' "parts":'), line.replace('"after":13,', '"after": 13,')):
            self.assertNotEqual(bad, line)
            self.assertRaises((tlog.Failure, ValueError), archive.leaf_hash, bad, "it")

    def test_strict_reading(self):
        for text in ("", "{", '{"a":1,"a":2}', '{"a":1.5}', '{"a":NaN}', '{"a":9223372036854775808}', '{"a":null}', '["\\ud800"]', "[" * 100_000):
            self.assertRaises(tlog.Unreadable, tlog.parse, text, "it")

    def test_minus_zero(self):
        list(verify.records_of('{"a":[0,-1],"b":"-0"}', "it"))
        self.assertRaises(tlog.Unreadable, list, verify.records_of('{"a":[0,-0]}', "it"))

    def test_a_name_writes_no_line(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
            path = os.path.join(folder, "record.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"table": "A 1: proven; leaf 21 of 22\n#", "round": 1}, file)
            self.assertEqual(verify.main([path]), 1)
        self.assertRegex(out.getvalue(), r'^[^\n]*: "A 1: proven; leaf 21 of 22\\n#" 1: FAILED [^\n]*\n$')

    def test_exit_status(self):
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as null:
            path = os.path.join(folder, "record.json")
            with contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
                for text, status in [("", 2), ("[]", 2), ("{}", 1), ('{"type":"round-record","version":2}', 1), ("\xff", 2)]:
                    with open(path, "w", encoding="latin-1") as file:
                        file.write(text)
                    self.assertEqual(verify.main([path]), status, text)
                self.assertEqual(verify.main([os.path.join(folder, "none")]), 2)


if __name__ == "__main__":
    unittest.main()
