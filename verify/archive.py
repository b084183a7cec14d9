"""Verifies segments of an archive of a house's record (docs/record.md, "The archive")."""
import base64
import hmac
import json

from tlog import Checkpoint, decode_base64, grown_roots, need, parse, root_of, sha256


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


def fields(text, known, place):
    """Returns the fields of an object, each as it stands there; they have to stand in the order of those known, none twice."""
    found = list(members(text, place))
    need([k for k, _ in found] == [k for k in known.split() if k in dict(found)], place, f"its fields are not of {known}, in this order")
    need(not {'""', "0", "[]"} & set(dict(found).values()), place, "it has fields that say nothing")
    return dict(found)


def section_hash(salt, place, name, text):
    salt = hmac.digest(salt, place.to_bytes(8, "big"), "sha256")
    return sha256(b"trey section v1\n" + salt + f"{name}\n{text}".encode())


def leaf_hash(text, place):
    """Returns number and leaf of a transaction as a line of an archive has it."""
    entry = fields(text, "seq at_ms salt line", place)
    salt, line = decode_base64(json.loads(entry["salt"]), place), fields(entry["line"], "cause key input postings parts", place)
    need(len(salt) in (16, 32), place, "its salt is not 16 bytes, nor 32")
    key = json.loads(line.get("input", '""')) + "\n" + json.loads(line["key"]) if "key" in line else ""
    sections, record = [("cause", line["cause"]), ("key", key), ("postings", line.get("postings", "[]"))], None
    for _, part in members(line.get("parts", "[]"), place):
        part = fields(part, "stream after round events record of_round", place)
        stream = json.loads(part["stream"])
        sections.append((f"part {stream} {part.get('after', '0')} {part.get('round', '0')}", part.get("events", "[]")))
        if "record" in part:
            need(record is None, place, "it commits to two rounds")
            record = f"record {stream} {part['of_round']}", json.loads(part["record"])
    content = sha256(b"".join(section_hash(salt, i, *s) for i, s in enumerate(sections)))
    if record:
        content = sha256(content + section_hash(salt, len(sections), *record))
    leaf = f"trey transaction v1\n{entry['seq']}\n{entry['at_ms']}\n{base64.b64encode(content).decode()}\n"
    return int(entry["seq"]), sha256(b"\0" + leaf.encode())


def verify_archive(lines, place, house, witnesses, older):
    """Verifies segments of an archive, from the first transaction on, and returns what is said of them."""
    headers, hashes = [], [b""]
    for text in lines:
        text, at = text.rstrip("\n"), f"{place}: transaction {len(hashes)}"
        if text.startswith('{"archive":'):
            header = parse(text, place)
            known = "archive origin first last root checkpoint growth".split()
            need(header["archive"] == "trey archive v1" and [*header] == known[:len(header)], at, "a segment of another form")
            need(header["first"] == len(hashes), at, f"a segment begins with {header['first']}")
            headers.append(header)
            continue
        need(headers, at, "no header of a segment stands before it")
        number, leaf = leaf_hash(text, at)
        need(number == len(hashes), at, f"it has the number {number}")
        hashes.append(leaf)
    need(headers and headers[-1]["last"] == len(hashes) - 1, place, "transactions are missing at the end")
    origin, said = headers[-1]["origin"], []
    for header, after in zip(headers, headers[1:] + [None]):
        at, size = f"{place}: the segment to {header['last']}", header["last"] + 1
        need(after is None or after["first"] == size, at, f"the next one begins with {after and after['first']}")
        # A house that went on from a copy had another leaf 0 before the same transactions.
        need(header["origin"] == origin or "\ncontinues " in origin, at, "it is of another house")
        hashes[0] = sha256(b"\0" + header["origin"].encode())
        root = root_of(hashes[:size])
        need(decode_base64(header["root"], at, 32) == root, at, "its transactions have another root")
        checkpoint = Checkpoint(header["checkpoint"], at)
        need(checkpoint.origin == "trey-house/" + hashes[0].hex()[:32], at, "its checkpoint is of another house")
        proof = [decode_base64(h, at, 32) for h in header.get("growth", [])]
        need(checkpoint.size >= size, at, "its checkpoint does not cover it")
        roots = grown_roots(proof, root, size, checkpoint.size)
        need(roots == (root, checkpoint.root) and not proof, at, "its checkpoint does not go on from it")
        said = checkpoint.verify(house, witnesses) if header["origin"] == origin else []
    for noted in older:
        noted.verify(house, [])
        need(noted.origin == checkpoint.origin, noted.place, "it is of another house")
        need(noted.size > len(hashes) or root_of(hashes[:noted.size]) == noted.root, noted.place, "the archive has another root: two histories")
        said.append(f"goes on from {noted.place}" if noted.size <= len(hashes) else f"{noted.place} is newer than the archive")
    return [f"transactions 1 to {len(hashes) - 1}"] + said
