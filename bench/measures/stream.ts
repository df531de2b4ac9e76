/**
 * A streamed turn of a model that emits 2,000 chunks, as fast as it is read and at one chunk per millisecond, and the latter run
 * rejoined after its end. Compared with streams without a source, from an object and from the Worker itself: that run's own frames,
 * one per chunk for a turn, and in a rejoined run's batches for that; and the stream of the pieces that a turn gets, which is a
 * model's cost before anything is stored. Chunks that are ready together share a frame, so a turn is reported in chunks per second.
 */
import { Agent } from "node:http";
import { fetchText, timeStream, type RequestSpec, type StreamTimes } from "../load.ts";
import { message, signUp } from "../oracle-user.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Aim, type Row } from "../rows.ts";
import { median, type Scale } from "../statistics.ts";
import type { Bench, Measure } from "./measure.ts";

const CHUNKS = 2_000;
/** Milliseconds between two chunks of a paced model; each then has its own frame. */
const PACE_MS = 1;
const AIM: Aim = { ratio: 0.6 };

export const stream: Measure = {
  name: "stream",
  about: `a streamed turn of ${CHUNKS} chunks: first frame, frames and chunks a second, beside bare streams`,
  async take(bench) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      return rowsOf(await inTurns(bench.options.rounds, await sidesOf(bench, agent)));
    } finally {
      agent.destroy();
    }
  },
};

async function sidesOf({ runtime: { oracle, bare }, options: { seconds } }: Bench, agent: Agent) {
  const user = await signUp(oracle);
  const frames = (await fetchText(oracle, message(user, slow(PACE_MS), true))).split(/(?<=\n\n)/);
  await fetchText(bare, { path: "/keep", method: "POST", body: JSON.stringify(frames) });
  const run: RequestSpec = { path: `/runs/${runOf(frames)}?after=0`, headers: user.headers };

  const streams = (base: string, next: () => RequestSpec | Promise<RequestSpec>) => () =>
    repeated(seconds, async () => timeStream(base, await next(), agent));
  // A new session each time: a longer history would slow later turns.
  const turn = (pause: number) => streams(oracle, async () => message(await signUp(oracle), slow(pause), true));
  const plain = (path: string) => streams(bare, () => ({ path: `${path}?chunks=${CHUNKS}` }));
  return {
    turn: turn(0),
    object: plain("/object-stream"),
    worker: plain("/worker-stream"),
    objectBatches: plain("/object-batches"),
    workerBatches: plain("/worker-batches"),
    model: plain("/model-stream"),
    replay: streams(oracle, () => run),
    paced: turn(PACE_MS),
    pacedBare: plain("/paced-stream"),
  };
}

function slow(pause: number): string {
  return `/slow ${CHUNKS} ${pause}`;
}

/** The first frame contains the run's id. */
function runOf([first = ""]: readonly string[]): string {
  const [, runId] = /"runId":"([^"]+)"/.exec(first) ?? [];
  if (runId === undefined) throw new Error(`a stream began with ${first}`);
  return runId;
}

/** One stream after the other until the time is up; returns the median of each number. */
async function repeated(seconds: number, take: () => Promise<StreamTimes>): Promise<StreamTimes> {
  const end = performance.now() + seconds * 1000;
  const taken: StreamTimes[] = [];
  do taken.push(await take());
  while (performance.now() < end);
  const middle = (number: keyof StreamTimes): number => median(taken.map((times) => times[number]));
  return { first: middle("first"), whole: middle("whole"), frames: middle("frames"), bytes: middle("bytes") };
}

type Sides = Readonly<Record<keyof Awaited<ReturnType<typeof sidesOf>>, readonly StreamTimes[]>>;

function rowsOf(sides: Sides): readonly Row[] {
  interface Comparison {
    readonly what: string;
    readonly unit: string;
    readonly scale?: Scale;
    readonly of: (times: StreamTimes) => number;
    readonly ours: keyof Sides;
    readonly beside: keyof Sides;
    readonly aim?: Aim;
  }
  const compare = ({ what, unit, scale = "rate", of, ours, beside, aim }: Comparison): Row =>
    rowOf({
      what,
      unit,
      scale,
      samples: sides[ours].map(of),
      baseline: { name: names[beside], samples: sides[beside].map(of) },
      ...(aim === undefined ? {} : { aim }),
    });
  const first = {
    what: "first frame of a turn",
    unit: "ms",
    scale: "time",
    of: ({ first }: StreamTimes) => first,
  } as const;
  const frames = { unit: "frames/s", of: perSecond(({ frames }) => frames) };
  const chunks = { unit: "chunks/s", of: perSecond(() => CHUNKS) };
  return [
    compare({ ...first, ours: "turn", beside: "object" }),
    compare({ ...first, what: "first frame, joined again", ours: "replay", beside: "objectBatches" }),
    compare({ ...frames, what: "run joined again", ours: "replay", beside: "objectBatches", aim: AIM }),
    compare({ ...frames, what: "run joined again", ours: "replay", beside: "workerBatches" }),
    compare({ ...chunks, what: "turn, model at 1 ms a chunk", ours: "paced", beside: "pacedBare", aim: AIM }),
    compare({ ...chunks, what: "turn, model at once", ours: "turn", beside: "model" }),
    compare({ ...chunks, what: "turn, model at once", ours: "turn", beside: "object", aim: AIM }),
    compare({ ...chunks, what: "turn, model at once", ours: "turn", beside: "worker" }),
  ];
}

const names: Readonly<Record<keyof Sides, string>> = {
  turn: "a turn",
  replay: "a run joined again",
  paced: "a paced turn",
  object: "same frames, object",
  worker: "same frames, Worker",
  objectBatches: "same batches, object",
  workerBatches: "same batches, Worker",
  model: "model alone, same frames, object",
  pacedBare: "same pace, object",
};

function perSecond(count: (times: StreamTimes) => number) {
  return (times: StreamTimes): number => (count(times) / times.whole) * 1000;
}
