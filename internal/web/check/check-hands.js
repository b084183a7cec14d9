// The two orders of hands, from the words of the rule books.

const ranks = "23456789TJQKA";
const rankName = (n) => (n === 10 ? "10" : ranks[n - 2]);

const rankOf = (card) => ranks.indexOf(card[0]) + 2;
const suitOf = (card) => card[1];

/** Whether these are three different cards whose faces are known. */
export const isHand = (cards) => cards.length === 3 && new Set(cards).size === 3 && cards.every((c) => c?.length === 2 && rankOf(c) > 1 && "cdhs".includes(c[1]));

// Three-card poker: a straight is above a flush, and A-2-3 the lowest straight.
// Where the highest card decides, the others of a flush do not.
function poker(cards, highestCard) {
  const sorted = cards.map(rankOf).sort((a, b) => b - a);
  const [a, b, c] = sorted;
  const flush = new Set(cards.map(suitOf)).size === 1;
  const low = a === 14 && b === 3 && c === 2;
  const straight = low || (a - b === 1 && b - c === 1);
  const order = low ? [3, 2, 14] : b === c ? [b, c, a] : sorted;
  const decides = low ? [3, 2, 1] : order;
  let kind = 0;
  if (a === b && b === c) {
    kind = 4;
  } else if (straight) {
    kind = flush ? 5 : 3;
  } else if (flush) {
    kind = 2;
  } else if (a === b || b === c) {
    kind = 1;
  }
  const beside = kind === 2 && highestCard ? [a, 0, 0] : decides;
  const combos = new Set(["any-hand"]);
  if (kind > 0) {
    combos.add(["", "pair", "flush", "straight", "three-of-a-kind", "straight-flush"][kind]);
  }
  if (kind === 5 && a === 14 && !low) {
    combos.add("akq-suited");
    if (suitOf(cards[0]) === "s") {
      combos.add("akq-spades");
    }
  }
  return {
    strength: beside.reduce((sum, r) => sum * 15 + r, kind),
    combos,
    points: 0,
    pictures: 0,
    name: ["High card", "Pair", "Flush", "Straight", "Three of a kind", "Straight flush"][kind],
    detail: order.map(rankName).join("-"),
  };
}

// Royal Three Pictures: the last digit of the points, and then how many pictures.
function royal(cards) {
  const points = cards.reduce((sum, card) => sum + (rankOf(card) === 14 ? 1 : rankOf(card) < 10 ? rankOf(card) : 0), 0) % 10;
  const faces = cards.filter((card) => "JQK".includes(card[0])).map((card) => card[0]);
  const pictures = faces.length;
  const combos = new Set(["any-hand"]);
  const alike = new Set(faces).size === 1;
  if (pictures === 3) {
    combos.add("three-pictures");
    if (alike) {
      combos.add({ K: "three-kings", Q: "three-queens", J: "three-jacks" }[faces[0]]);
    }
  } else if (pictures === 2 && alike) {
    combos.add("picture-pair");
  } else if (faces.filter((f) => f === "K").length === 1) {
    combos.add("any-king");
  }
  if (points === 6) {
    combos.add("six-points");
  }
  const digit = ["Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"][points];
  return {
    strength: pictures === 3 ? 31 : 3 * points + pictures + 1,
    combos,
    points,
    pictures,
    name: pictures === 3 ? "Three Pictures" : ["", "Single Picture ", "Double Picture "][pictures] + digit,
    detail: "",
  };
}

/**
 * What a hand is: a greater strength wins and an equal one stands off.
 * @param {"poker" | "poker-highest-card" | "pictures"} order
 * @param {string[]} cards three different ones, such as ["Qh", "6d", "4c"]
 */
export const rank = (order, cards) => (order === "pictures" ? royal(cards) : poker(cards, order === "poker-highest-card"));
