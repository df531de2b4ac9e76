import { expect, test } from "vitest";
import { ChatFailure, exitCodes } from "./failure.ts";
import { backOff, followRun } from "./follow-run.ts";
import type { OpenRun } from "./oracle-client.ts";

/** A stream that ends after these frames, given as `[id, event]`. */
function openRun(...frames: readonly (readonly [number, string])[]): OpenRun {
  const text = frames.map(([id, event]) => `event: ${event}\nid: ${id}\ndata: {}\n\n`).join("");
  return { runId: "r", body: new Blob([text]).stream() };
}

/** Follows a run whose n-th joining is answered by `joins[n]`, then by nobody. */
async function follow(opened: OpenRun | undefined, joins: readonly (OpenRun | ChatFailure)[], lastId = 0) {
  const seen: string[] = [];
  const joinedAfter: number[] = [];
  const waits: number[] = [];
  const answers = [...joins];
  const end = await followRun({
    client: {
      async join(_, after) {
        joinedAfter.push(after);
        const answer = await Promise.resolve(answers.shift());
        if (answer instanceof ChatFailure) throw answer;
        return answer;
      },
    },
    runId: "r",
    opened,
    lastId,
    onFrame({ id, event }) {
      seen.push(`${id} ${event}`);
      return event === "done";
    },
    onLost: (wait) => waits.push(wait),
    wait: async () => await Promise.resolve(),
    interrupted: new AbortController().signal,
  }).catch((error: unknown) => error);
  return { seen, joinedAfter, waits, end };
}

test("frames that a server repeats are seen once", async () => {
  const { seen } = await follow(openRun([1, "run"], [2, "message"]), [
    openRun([1, "run"], [2, "message"], [3, "done"]),
  ]);
  expect(seen).toEqual(["1 run", "2 message", "3 done"]);
});

test("of a run that ended before, `done` comes again and ends the client too", async () => {
  const { seen, joinedAfter, waits } = await follow(undefined, [openRun([7, "done"])], 7);
  expect({ seen, joinedAfter, waits }).toEqual({ seen: ["7 done"], joinedAfter: [7], waits: [] });
});

test("ids go on across the restart of a server", async () => {
  const restart = 2 ** 32 + 1;
  const { joinedAfter } = await follow(openRun([5, "message"]), [
    openRun([restart, "run"]),
    openRun([restart + 1, "done"]),
  ]);
  expect(joinedAfter).toEqual([5, restart]);
});

test("a server that takes the call and says nothing is not asked for ever", async () => {
  const { waits, end } = await follow(
    openRun([1, "run"]),
    backOff.map(() => openRun()),
  );
  expect(waits).toEqual(backOff);
  expect(end).toMatchObject({ exitCode: exitCodes.unreachable });
});

test("a server that is away is waited for, one that refuses is not", async () => {
  const away = new ChatFailure(exitCodes.unreachable, "No server answers");
  const refused = new ChatFailure(exitCodes.unauthorised, "Invalid UCAN invocation");
  const { waits, end } = await follow(openRun([1, "run"]), [away, refused]);
  expect(waits).toEqual([500, 1000]);
  expect(end).toBe(refused);
});
