"""Reads signatures, checkpoints and Merkle trees, as public specifications describe them.

Ed25519 (RFC 8032), signed notes, checkpoints and cosignatures (c2sp.org: signed-note,
tlog-checkpoint, tlog-cosignature), trees and their proofs (RFC 6962), tiles (c2sp.org/tlog-tiles).
Nothing here knows of Trey: another program that does the same can take its place.
"""
import base64
import hashlib
import json
from datetime import datetime, timezone


class Failure(Exception):
    """Says what does not hold, and where."""


class Unreadable(Exception):
    """Says why a document cannot be read."""


def need(holds, place, text):
    if not holds:
        raise Failure(f"{place}: {text}")


def sha256(data):
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).digest()


def parse(text, place):
    """Reads JSON without fractions, -0 and what takes more than 64 bits, without null, half a character and a key that is there twice."""
    def members(pairs):
        if len(dict(pairs)) < len(pairs) or None in dict(pairs).values():
            raise ValueError(f"a key is there twice, or says nothing, among {[k for k, _ in pairs]}")
        return dict(pairs)

    def whole(digits):
        if digits == "-0" or not -2**63 <= int(digits) < 2**63:
            raise ValueError(f"{digits} is no number of the record")
        return int(digits)

    try:
        value = json.loads(text, parse_int=whole, parse_float=int, parse_constant=int, object_pairs_hook=members)
        json.dumps(value, ensure_ascii=False).encode()  # which half a character beyond the first 65,536 is not
        return value
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{place}: {error}") from None


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
    strict = data is not None and base64.b64encode(data).decode() == text  # unused bits at the end are zero
    need(strict and len(data) == (length or len(data)), place, f"{text[:60]!r} is not base64" + (f", or not {length} bytes" if length else ""))
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

    def signed(self, note):
        """Returns what this key says of a note, or an empty text; a wrong signature fails."""
        said = ""
        for name, signature in note.signatures:
            if name == self.name and signature[:4] == self.id:
                said, message, signature = f"signed by {name}", note.text.encode(), signature[4:]
                if self.kind == COSIGNATURE:
                    seconds, signature = int.from_bytes(signature[:8], "big"), signature[8:]
                    message = b"cosignature/v1\ntime %d\n" % seconds + message
                    said = f"witnessed by {name} at {datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
                need(ed25519_verifies(self.key, message, signature), note.place, f"the signature of {name} is wrong")
        return said


class Note:
    """A text with signatures (signed-note)."""

    def __init__(self, note, place):
        text, blank, below = note.rpartition("\n\n")
        need(blank and below.endswith("\n"), place, "it is no signed note")
        self.text, self.place = text + "\n", place
        parts = [line.split(" ") for line in below[:-1].split("\n")]
        sound = all(len(p) == 3 and p[0] == "\N{EM DASH}" and p[1].split() == [p[1]] and "+" not in p[1] for p in parts)
        need(sound and len(parts) <= 100, place, "a signature is not written as one, or there are more than 100")
        self.signatures = [(p[1], decode_base64(p[2], place)) for p in parts]


def successors(key, notes, place):
    """Returns a key of a house, and those that follow from it: each is named by a note of one before it."""
    keys = [key]
    for text in notes.split("---\n"):
        try:
            note = Note(text, place)
            if not any([k.signed(note) for k in keys]):
                continue
        except Failure:
            continue  # it is of another key, or of none
        kind, _, named = note.text.partition("\n")
        if kind == "trey key v1":
            keys.append(Key(named))
            if (keys[-1].name, keys[-1].kind) != (key.name, ED25519):
                raise Unreadable(f"{place}: {named.strip()!r} is named, which is no key of {key.name}")
    return keys


class Checkpoint(Note):
    """The signed head of a tree: origin, size and root (tlog-checkpoint)."""

    def __init__(self, note, place):
        super().__init__(note, place)
        lines = self.text[:-1].split("\n")
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
    need(inclusion_root(leaf, index, checkpoint.size, proof) == checkpoint.root and not proof, place, f"leaf {index} is another in this tree")


def grown_roots(proof, old, size, end, first=0):
    """Returns the roots of the leaves from first to size and to end, by a proof of consistency, and takes it."""
    if size == end:
        root = old if first == 0 else proof.pop()
        return root, root
    half, sibling = first + left_part(end - first), proof.pop()
    if size <= half:
        before, after = grown_roots(proof, old, size, half, first)
        return before, node_hash(after, sibling)
    before, after = grown_roots(proof, old, size, end, half)
    return node_hash(sibling, before), node_hash(sibling, after)


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
