/**
 * The phone gateway, one request at a time: a step in a live session, compared with a bare Worker that takes equal requests and
 * makes equal object hops with one SQLite read and one write; a first dial; and the first step of an evicted session. No step has
 * a PIN.
 */
import { effortOfWork, effortRows, type Effort } from "../effort.ts";
import { FIRST_SCREEN, INFORMATION, inSequence, phoneCall, type PhoneCall } from "../phone-calls.ts";
import { sendAll, type RequestSpec } from "../load.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Row } from "../rows.ts";
import { startRuntime, type Runtime } from "../runtime.ts";
import { median } from "../statistics.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

/** Sessions per second of a round: a fixed amount of work, so that both sides leave the same number of objects. */
const SESSIONS_PER_SECOND = 64;
/** Sequential requests in a sample. */
const DIALS = 50;
/** Restarts are slow, and more of them show nothing new. */
const MAX_RESTARTS = 3;

export const ussd: Measure = {
  name: "ussd",
  about: "a step in a live phone session, beside the same hops; a first dial; a step after eviction",
  async take(bench) {
    const { runtime, options } = bench;
    // Before the measurement, both sides' code has run as often as in a round.
    await stepEffort(bench);
    await bareEffort(bench, "/counted-step");
    const { steps, bare, counted } = await inTurns(options.rounds, {
      steps: () => stepEffort(bench),
      bare: () => bareEffort(bench, "/step"),
      counted: () => bareEffort(bench, "/counted-step"),
    });
    const { dials, bareDials } = await inTurns(options.rounds, {
      dials: async () =>
        median(
          await inSequence(
            runtime.oracle,
            fresh().map(({ dial }) => dial),
            FIRST_SCREEN,
          ),
        ),
      bareDials: async () => median(await inSequence(runtime.bare, freshObjects(), "")),
    });
    const what = "step in a live session";
    return [
      ...effortRows({
        what,
        samples: steps,
        beside: { name: "2 hops, a read, a write", samples: bare },
        aim: { ratio: 0.6 },
      }),
      ...effortRows({ what, samples: steps, beside: { name: "and the limiter's write", samples: counted } }),
      rowOf({
        what: "first dial",
        unit: "ms",
        scale: "time",
        samples: dials,
        baseline: { name: "2 hops, a new object", samples: bareDials },
      }),
      await evicted(bench),
    ];
  },
};

/** Live sessions, each run to its end by one connection. */
async function stepEffort(bench: Bench): Promise<Effort> {
  const { runtime } = bench;
  const calls = callsOf(bench);
  await inLanes(calls, async (lane) => {
    await inSequence(
      runtime.oracle,
      lane.map(({ dial }) => dial),
      FIRST_SCREEN,
    );
  });
  const steps = calls.map((call) => call.steps);
  return await effortOfWork(runtime, () => sendAll(runtime.oracle, steps, CONNECTIONS));
}

/** Equal requests to as many objects, which are awake like the sessions. */
async function bareEffort(bench: Bench, path: string): Promise<Effort> {
  const { runtime } = bench;
  const lists = callsOf(bench).map(({ dial, steps }) => {
    objects += 1;
    const object = `${path}?object=phone-${objects}`;
    return [dial, ...steps].map((spec) => ({ ...spec, path: object }));
  });
  await sendAll(
    runtime.bare,
    lists.map((list) => list.slice(0, 1)),
    CONNECTIONS,
  );
  const steps = lists.map((list) => list.slice(1));
  return await effortOfWork(runtime, () => sendAll(runtime.bare, steps, CONNECTIONS));
}

function callsOf({ options: { seconds } }: Bench): readonly PhoneCall[] {
  return Array.from({ length: SESSIONS_PER_SECOND * seconds }, () => phoneCall());
}

async function inLanes(calls: readonly PhoneCall[], take: (lane: readonly PhoneCall[]) => Promise<void>) {
  const lanes = Array.from({ length: CONNECTIONS }, (_, lane) =>
    calls.filter((__, index) => index % CONNECTIONS === lane),
  );
  await Promise.all(lanes.map(take));
}

function fresh(): readonly PhoneCall[] {
  return Array.from({ length: DIALS }, () => phoneCall());
}

let objects = 0;

function freshObjects(): readonly RequestSpec[] {
  return fresh().map(({ dial }) => ({ ...dial, path: `/counted-step?object=dial-${(objects += 1)}` }));
}

/** A killed runtime holds no objects: the next step of each session reads it from storage. */
async function evicted({ bundles, makeFolder, options }: Bench): Promise<Row> {
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < Math.min(options.rounds, MAX_RESTARTS); round += 1) {
    const runtime = await startRuntime(bundles, makeFolder());
    try {
      const calls = fresh();
      const known = freshObjects();
      await inSequence(
        runtime.oracle,
        calls.map(({ dial }) => dial),
        FIRST_SCREEN,
      );
      await inSequence(runtime.bare, known, "");
      await runtime.kill();
      await runtime.startAgain();
      await warmUp(runtime);
      const steps = calls.flatMap(({ steps: [first] }) => (first === undefined ? [] : [first]));
      ours.push(median(await inSequence(runtime.oracle, steps, INFORMATION)));
      // A different text: SQLite does not write an unchanged one.
      const others = known.map((spec) => ({ ...spec, body: `${spec.body?.toString() ?? ""} ` }));
      bare.push(median(await inSequence(runtime.bare, others, "")));
    } finally {
      await runtime.kill();
    }
  }
  return rowOf({
    what: "first step after eviction",
    unit: "ms",
    scale: "time",
    samples: ours,
    baseline: { name: "2 hops, an object to wake", samples: bare },
  });
}

/** Loads both Workers' code, without the measured sessions. */
async function warmUp(runtime: Runtime): Promise<void> {
  await inSequence(
    runtime.oracle,
    fresh().map(({ dial }) => dial),
    FIRST_SCREEN,
  );
  await inSequence(runtime.bare, freshObjects(), "");
}
