// The form of a record: which fields there are.

// The fields that there are, required ones first.
const fields = {
  record: [["type", "version", "table", "round", "ended", "book", "variant", "rules_hash", "declaration", "terms", "config", "carried", "steps", "names", "software", "proof"], ["jackpot", "seed"]],
  config: [["device", "cards"], ["chips"]],
  seed: [["commitment", "committed", "seed"], ["checkpoint", "own"]],
  committed: [["seq", "at_ms"], []],
  own: [["player", "text"], []],
  step: [["at_ms", "by", "kind", "body"], ["seq", "meter", "events", "moved", "seeds", "postings"]],
  by: [["name", "role"], []],
  event: [["kind", "body"], []],
  posting: [["from", "to", "amount", "for"], []],
  drawn: [["card"], ["to", "face_up"]],
  dealt: [["card", "place", "meant"], ["face_up"]],
  line: [["box", "player", "wager", "stake", "result", "pays", "returned", "clause"], ["combo", "excess", "reverses"]],
};

// The fields of each command and of the events that something is worked out from;
// those after the bar can be left out.
const commands = fieldsOf({
  "add-seed": "text", "open-table": "", "close-table": "| anew", "open-bets": "", bet: "box player wager amount | standing", withdraw: "box player wager",
  found: "box player wager amount | at_call", "close-bets": "", deal: "cards | skip_burn", "finish-deal": "", examine: "box player", raise: "box player",
  fold: "box player", "lay-up": "box | hand", show: "box | hand", "keep-down": "box", reveal: "| hand", settle: "| box meter meters pending",
  report: "incident | box dealer player boxes cards turned_later lies count order_lost order_known before_look looked lasted_ms wager amount counted meter round active note", answer: "answer | order remedies",
  choose: "player | box return", "ask-withdrawal": "box player", expire: "", "restrict-player": "player | lift", "restrict-areas": "max",
  "suspend-progressive": "option | boxes", "restore-progressive": "",
});
const fieldsOfEvents = fieldsOf({
  "bets-opened": "round", "bets-closed": "", "bet-placed": "box player wager amount | standing entered_by clause", "bets-returned": "clause | lines",
  "stake-found": "box player wager amount clause", "cards-dealt": "at_ms cards", "hand-examined": "box player", "hand-raised": "box player wager amount",
  "hand-folded": "box player clause", "forfeits-collected": "clause | lines", "hand-shown": "place hand | clause", "hand-kept-down": "box clause", "dealer-shown": "hand qualifies", settled: "| lines meter",
  "box-settled": "box | lines meter", "settlement-undone": "box clause | lines stakes",
  reported: "report outcome clause | boxes due", "question-asked": "question", "question-answered": "key answer by clause | order remedies",
  "cards-exposed": "slots cards | corrected", "cards-moved": "clause moves | ruled", "round-voided": "clause | lines",
  "hand-invalidated": "box clause | lines", "table-closed": "| clause", "progressive-failed": "registered clause",
  "offer-answered": "player clause | box return unanswered", "decision-restored": "box player was clause | lines",
  "payment-corrected": "clause | lines",
});
const roles = ["guest", "player", "dealer", "pit-supervisor", "pit-manager", "shift-manager", "house"];

function fieldsOf(lists) {
  const words = (text) => text.trim().split(" ").filter(Boolean);
  return new Map(Object.entries(lists).map(([kind, text]) => [kind, text.split("|").concat("").slice(0, 2).map(words)]));
}

/** Why a document is not of this form, with the place. */
export class Malformed extends Error {
  constructor(where) {
    super(where);
    this.where = where;
  }
}

export const isText = (v) => typeof v === "string";
export const isWhole = (v) => typeof v === "bigint";
const isObject = (v) => v !== null && typeof v === "object" && !Array.isArray(v);

/** Refuses an object that has not exactly the fields of its kind. */
export function shaped(kind, value, where) {
  withFields(fields[kind], value, where);
}

function withFields([required, optional], value, where) {
  if (!isObject(value)) {
    throw new Malformed(where);
  }
  for (const name of required) {
    if (!(name in value)) {
      throw new Malformed(`${where}.${name}`);
    }
  }
  for (const name of Object.keys(value)) {
    if (!required.includes(name) && !optional.includes(name)) {
      throw new Malformed(`${where}.${name}`);
    }
  }
}

function items(value, where) {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw new Malformed(where);
  }
  return value;
}

/** Refuses what does not hold. */
export function need(holds, where) {
  if (!holds) {
    throw new Malformed(where);
  }
}

// What a round took over from the one before: what there is nothing of is left out.
function carried(of) {
  withFields([[], ["down", "down_option", "suspended", "area_max", "warned", "restricted"]], of, "carried");
  const { down, down_option: option, suspended, area_max: most, warned, restricted } = of;
  need(down === undefined || down === true, "carried.down");
  need(option === undefined || ["close", "boxes", "without"].includes(option), "carried.down_option");
  need(items(suspended, "carried.suspended").every((box) => isWhole(box) && box > 0n), "carried.suspended");
  need(most === undefined || (isWhole(most) && most > 0n), "carried.area_max");
  need(items(warned, "carried.warned").every(isText), "carried.warned");
  need(items(restricted, "carried.restricted").every(isText), "carried.restricted");
}

// A seed that a player can have typed: no more than 64 bytes, all of which anybody can copy.
const isSeed = (text) => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(text) && new TextEncoder().encode(text).length <= 64;

/** Refuses a document that has not every field that there is and no other, of its type. */
export function form(r) {
  shaped("record", r, "");
  need(r.type === "round-record", "type");
  need(r.version === 1n, "version");
  for (const name of ["table", "ended", "book", "variant", "rules_hash", "declaration", "terms", "software", "proof"]) {
    need(isText(r[name]), name);
  }
  need(isWhole(r.round) && r.round > 0n, "round");
  need(r.jackpot === undefined || (isText(r.jackpot) && r.jackpot !== ""), "jackpot");
  shaped("config", r.config, "config");
  need(["shuffler", "shoe", "hand"].includes(r.config.device), "config.device");
  need(["virtual", "read", "unseen"].includes(r.config.cards), "config.cards");
  carried(r.carried);
  need(isObject(r.names) && Object.values(r.names).every(isText), "names");
  if (r.seed !== undefined) {
    shaped("seed", r.seed, "seed");
    for (const name of ["commitment", "seed"]) {
      need(/^[0-9a-f]{64}$/.test(r.seed[name]), `seed.${name}`);
    }
    need(r.seed.checkpoint === undefined || (isText(r.seed.checkpoint) && r.seed.checkpoint !== ""), "seed.checkpoint");
    shaped("committed", r.seed.committed, "seed.committed");
    need(isWhole(r.seed.committed.seq), "seed.committed.seq");
    need(isWhole(r.seed.committed.at_ms), "seed.committed.at_ms");
    items(r.seed.own, "seed.own").forEach((o, i) => {
      shaped("own", o, `seed.own[${i}]`);
      need(isText(o.player) && isText(o.text) && isSeed(o.text), `seed.own[${i}]`);
    });
  }
  need(Array.isArray(r.steps), "steps");
  r.steps.forEach((s, i) => {
    const at = `steps[${i}]`;
    shaped("step", s, at);
    // The last step has no number: it is that of the leaf which commits to the record.
    need(i === r.steps.length - 1 ? s.seq === undefined : isWhole(s.seq), `${at}.seq`);
    need(isWhole(s.at_ms), `${at}.at_ms`);
    shaped("by", s.by, `${at}.by`);
    need(isText(s.by.name) && isText(s.by.role), `${at}.by`);
    need(roles.includes(s.by.role), `${at}.by.role`);
    need(commands.has(s.kind), `${at}.kind`);
    withFields(commands.get(s.kind), s.body, `${at}.body`);
    need(s.kind !== "add-seed" || (isText(s.body.text) && isSeed(s.body.text)), `${at}.body.text`);
    need(s.meter === undefined || isObject(s.meter), `${at}.meter`);
    for (const list of ["events", "moved", "seeds"]) {
      items(s[list], `${at}.${list}`).forEach((e, k) => {
        shaped("event", e, `${at}.${list}[${k}]`);
        need(isText(e.kind) && isObject(e.body), `${at}.${list}[${k}]`);
        if (list === "events" && fieldsOfEvents.has(e.kind)) {
          withFields(fieldsOfEvents.get(e.kind), e.body, `${at}.events[${k}].body`);
        }
      });
    }
    items(s.postings, `${at}.postings`).forEach((p, k) => {
      const place = `${at}.postings[${k}]`;
      shaped("posting", p, place);
      need(isText(p.from) && isText(p.to) && isWhole(p.amount) && isObject(p.for), place);
    });
  });
}
