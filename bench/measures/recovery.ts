/**
 * A run that lost its runtime: SIGKILL during a slow answer, a restart over its storage, and the time until a client of the run
 * learns that it was resumed, and until it is done.
 */
import { Agent } from "node:http";
import { open } from "../load.ts";
import { message, signUp } from "../oracle-user.ts";
import { rowOf } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import type { Bench, Measure } from "./measure.ts";

const PARTS = 50;
const PAUSE_MS = 20;
/** The interrupted answer: its model alone takes a second, and is called again after the restart. */
const SLOW = `/slow ${PARTS} ${PAUSE_MS}`;
const MODEL_SECONDS = (PARTS * PAUSE_MS) / 1000;
/** Frames that are read before the kill. */
const FRAMES_BEFORE = 8;
/** Restarts are slow, and more rounds show nothing new. */
const MAX_ROUNDS = 3;

export const recovery: Measure = {
  name: "recovery",
  about: "a run killed with SIGKILL: from the restart to its `run` frame and to its end",
  async take(bench) {
    const rounds: Times[] = [];
    for (let round = 0; round < Math.min(bench.options.rounds, MAX_ROUNDS); round += 1) rounds.push(await once(bench));
    const row = { unit: "s", scale: "time" } as const;
    return [
      rowOf({ ...row, what: "process started to requests taken", samples: rounds.map(({ up }) => up) }),
      rowOf({
        ...row,
        what: "requests taken to resumed run",
        samples: rounds.map((times) => times.resumed - times.up),
      }),
      rowOf({
        ...row,
        what: "process started to resumed run",
        samples: rounds.map(({ resumed }) => resumed),
        aim: { below: 2 },
      }),
      rowOf({
        ...row,
        what: `resumed run to its end (${MODEL_SECONDS} s of it the model's)`,
        samples: rounds.map(({ done, resumed }) => done - resumed),
      }),
    ];
  },
};

/** Seconds since the restart. */
interface Times {
  readonly up: number;
  readonly resumed: number;
  readonly done: number;
}

async function once({ bundles, makeFolder }: Bench): Promise<Times> {
  const runtime = await startRuntime(bundles, makeFolder());
  const agent = new Agent({ keepAlive: false });
  try {
    const user = await signUp(runtime.oracle);
    const answer = await open(runtime.oracle, message(user, SLOW, true), agent);
    const runId = String(answer.headers["x-run-id"]);
    const last = await readUntil(answer, (frames) => frames.length >= FRAMES_BEFORE);
    await runtime.kill();

    const begin = performance.now();
    const seconds = (): number => (performance.now() - begin) / 1000;
    await runtime.startAgain();
    const up = seconds();
    let resumed: number | undefined;
    const path = `/runs/${runId}?after=${numberOf(last.at(-1) ?? "")}`;
    const followed = await open(runtime.oracle, { path, headers: user.headers }, agent);
    const received = await readUntil(followed, (frames) => {
      if (frames.some((frame) => frame.includes('"resumed":true'))) resumed ??= seconds();
      return frames.some((frame) => frame.startsWith("event: done"));
    });
    if (resumed === undefined || !received.at(-1)?.includes('"status":"finished"')) {
      throw new Error(`the run was not resumed:\n${received.join("")}`);
    }
    return { up, resumed, done: seconds() };
  } finally {
    agent.destroy();
    await runtime.kill();
  }
}

/** The complete frames of a stream so far, as soon as there are enough. */
async function readUntil(
  body: AsyncIterable<Buffer | string>,
  enough: (frames: readonly string[]) => boolean,
): Promise<readonly string[]> {
  let text = "";
  for await (const chunk of body) {
    text += String(chunk);
    const frames = text.split(/(?<=\n\n)/).filter((frame) => frame.endsWith("\n\n"));
    if (enough(frames)) return frames;
  }
  throw new Error(`a stream ended too early:\n${text}`);
}

function numberOf(frame: string): number {
  return Number(/^id: (\d+)$/m.exec(frame)?.[1]);
}
