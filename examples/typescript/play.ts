// A guest plays one round of Three Card Poker, by a client whose types are generated from
// docs/openapi.json:
//
//   go run ./cmd/trey serve          in one shell: a house
//   npm install && npm run generate && npm run build && npm run play
//
// node play.js http://127.0.0.1:8080 vegas-1 names another house and table.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Command = components["schemas"]["Command"];
type Table = components["schemas"]["Table"];

const house = process.argv[2] ?? "http://127.0.0.1:8080";
const table = process.argv[3] ?? "vegas-1";

const client = createClient<paths>({ baseUrl: house });

/** Returns what was answered, or ends the program with the reason of a refusal. */
function answered<T>(result: { data?: T; error?: { detail?: string }; response: Response }): T {
  if (!result.response.ok) {
    throw new Error(`${result.response.url}: ${result.error?.detail ?? result.response.statusText}`);
  }
  return result.data as T;
}

/** Signs in as a guest and sends the session with everything that follows. */
async function signIn(): Promise<string> {
  const guest = await client.POST("/api/v1/guests");
  const cookie = guest.response.headers.getSetCookie().map((c) => c.split(";")[0]).join("; ");
  client.use({
    onRequest({ request }) {
      request.headers.set("Cookie", cookie);
      return request;
    },
  });
  return answered(guest).name;
}

async function balance(): Promise<number> {
  return answered(await client.GET("/api/v1/account")).balance;
}

async function look(): Promise<Table> {
  return answered(await client.GET("/api/v1/tables/{table}", { params: { path: { table } } }));
}

/** Carries a command out, under a key of its own so that a repetition does nothing twice. */
async function command(body: Command): Promise<void> {
  const params = { path: { table }, header: { "Idempotency-Key": randomUUID() } };
  answered(await client.POST("/api/v1/tables/{table}/commands", { params, body }));
}

async function ready(): Promise<void> {
  answered(await client.POST("/api/v1/tables/{table}/ready", { params: { path: { table } } }));
}

/** Waits until the table is as it should be. */
async function until(what: (t: Table) => boolean): Promise<Table> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const t = await look();
    if (what(t)) {
      return t;
    }
  }
  throw new Error("the table did not go on within two minutes");
}

const name = await signIn();
const before = await balance();
const open = await until((t) => t.picture.phase === "betting");
const stake = open.rules.limits["ante"]?.min ?? 1000;
const round = open.picture.round;
const box = open.picture.boxes?.find((b) => !b.bettors?.length)?.box;
if (box === undefined) {
  throw new Error("no box is free");
}
await command({ kind: "bet", body: { box, player: name, wager: "ante", amount: stake } });
console.log(`${name} bets ${stake} on the Ante of box ${box} in round ${round}`);
await ready();
await until((t) => t.picture.phase === "deciding");
await command({ kind: "examine", body: { box, player: name } });
const cards = (await look()).picture.boxes?.find((b) => b.box === box)?.cards ?? [];
console.log(`the hand is ${cards.join(" ")}, and it is played`);
await command({ kind: "raise", body: { box, player: name } });
await until((t) => t.picture.round > round || t.picture.phase === "settled");
const after = await balance();
if ((after - before) % stake !== 0 || after < before - 2 * stake) {
  throw new Error(`${before} became ${after}: no round of one Ante and one Play bet can end like that`);
}
console.log(`the balance was ${before} and is ${after}`);
