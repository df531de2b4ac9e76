/**
 * The bare Worker that serves as the baseline: for each measured path, the minimum that makes equal hops, without routing,
 * authentication, limits or errors. It has the same workerd, flags and process.
 */
import { BareObject, type BareEnv } from "./object.ts";
import { connectOnly, recordQueries, replayQueries } from "./recorded-queries.ts";
import { record, replay, type Recording } from "./recorded-trips.ts";
import { BareRoom, FastRoom, ServedRoom, wakeUps, type RoomsEnv } from "./rooms.ts";
import { eventStream, inBatches } from "./streams.ts";

export { BareObject, BareRoom, FastRoom, ServedRoom };

/**
 * Rows that a turn of one model step inserts, changes or deletes in its session: run, question, `run` frame; run
 * started, `reasoning` frame; `message` frame; step, run; `reasoning` frame, answer, run, steps, calls, `done` frame.
 */
const WRITES_OF_A_TURN = 14;

/** Captured frames, for streams from the Worker itself. */
let kept: readonly string[] = [];
/** A response of ours, returned unchanged. */
let keptText = "";
const JSON_HEADERS = { headers: { "Content-Type": "application/json" } };

type BareAnswer = (
  objects: BareCalls,
  query: URLSearchParams,
  request: Request,
  env: BareEnv & RoomsEnv,
  later: (work: Promise<unknown>) => void,
) => unknown;

const answers: Readonly<Record<string, BareAnswer>> = {
  "/plain": () => new Response("ok"),
  "/database": (_object, _query, _request, env) => env.DATABASE.prepare("SELECT 1").first(),
  "/read": (object) => object.read(),
  // One object counts all requests of a gateway.
  "/step": async (object, _query, request, env) => {
    await objectOf(env, "limiter").pass();
    return object.step(await request.text());
  },
  "/counted-step": async (object, _query, request, env) => {
    await objectOf(env, "limiter").write(1);
    return object.step(await request.text());
  },
  "/write": (object) => object.write(WRITES_OF_A_TURN),
  "/turn": (object) => object.turn(WRITES_OF_A_TURN),
  // The user's object counts a turn, then the session's object runs it.
  "/same-turn": async (object, query, _request, env) => {
    const user = `user of ${query.get("object")}`;
    await objectOf(env, user).pass();
    return object.sameTurn(user);
  },
  "/keep": async (object, _query, request) => {
    kept = await request.json();
    await object.keep(kept);
    return kept.length;
  },
  "/worker-stream": () => eventStream(kept.values()),
  "/object-stream": (object) => object.stream(),
  "/worker-batches": () => eventStream(inBatches(kept)),
  "/object-batches": (object) => object.batches(),
  "/paced-stream": (object, query) => object.paced(Number(query.get("chunks"))),
  "/model-stream": (object, query) => object.model(Number(query.get("chunks"))),
  // One text in a one-row table, and in memory.
  "/keep-text": async (_object, _query, request, env) => {
    keptText = await request.text();
    await env.DATABASE.batch([
      env.DATABASE.prepare("CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"),
      env.DATABASE.prepare("INSERT OR REPLACE INTO texts (id, text) VALUES (1, ?)").bind(keptText),
    ]);
    return keptText.length;
  },
  "/stored-text": async (_object, _query, _request, env) => {
    const row = await env.DATABASE.prepare("SELECT text FROM texts WHERE id = ?").bind(1).first<{ text: string }>();
    return new Response(row?.text, JSON_HEADERS);
  },
  "/held-text": () => new Response(keptText, JSON_HEADERS),
  // The bytes of a gRPC-web response, unchanged.
  "/grpc-web": async (_object, query) => {
    const frame = Uint8Array.from(atob(query.get("frame") ?? ""), (character) => character.charCodeAt(0));
    const headers = { "Content-Type": "application/grpc-web+proto", "X-Grpc-Web": "1" };
    const answer = await fetch(query.get("url") ?? "", { method: "POST", headers, body: frame });
    return new Response(await answer.arrayBuffer());
  },
  "/record": async (_object, _query, request, env) => {
    const [first, again] = await request.json<[Recording, Recording]>();
    const recording =
      env.HYPERDRIVE === undefined ? record(env, env.REGISTRY, first, again) : recordQueries(env, first, again);
    return new Response(await recording);
  },
  // Rooms with sockets, by the name in the request.
  "/served-room": (_object, query, request, env) => env.SERVED.getByName(query.get("room") ?? "").fetch(request),
  "/fast-room": (_object, query, request, env) => env.FAST.getByName(query.get("room") ?? "").fetch(request),
  "/bare-room": (_object, query, request, env) => env.BARE_ROOM.getByName(query.get("room") ?? "").fetch(request),
  "/wake-ups": () => wakeUps,
  "/replay": (_object, query, _request, env, later) => {
    const name = query.get("name") ?? "";
    return env.HYPERDRIVE === undefined
      ? replay(env.REGISTRY, name, query)
      : replayQueries(env.HYPERDRIVE, name, query, later);
  },
  "/connection": (_object, _query, _request, env, later) => connectOnly(env.HYPERDRIVE, later),
};

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    const answer = answers[pathname];
    if (answer === undefined) return new Response("unknown", { status: 404 });
    const object = objectOf(env, searchParams.get("object") ?? "0");
    const given = await answer(object, searchParams, request, env, (work) => context.waitUntil(work));
    if (given instanceof Response) return given;
    if (!(given instanceof ReadableStream)) return Response.json(given);
    return new Response(given, { headers: { "Content-Type": "text/event-stream" } });
  },
} satisfies ExportedHandler<BareEnv & RoomsEnv>;

/** The object's calls, typed by hand: the generated type of a stub recurses endlessly through its streams. */
type BareCalls = Pick<
  BareObject,
  "read" | "pass" | "step" | "write" | "turn" | "sameTurn" | "keep" | "stream" | "batches" | "paced" | "model"
>;

function objectOf({ BARE }: BareEnv, name: string): BareCalls {
  const objects: unknown = BARE;
  return (objects as { getByName(name: string): BareCalls }).getByName(name);
}
