/** Damaged rows of a lost run: readable parts are used, and no damage stops its session from working. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "./chat-turns.ts";
import { eventsOf } from "./frame-reader.ts";
import { toolPlugin } from "../plugins/small-plugins.ts";
import { createGate } from "../../../workers/oracle/testing/scripted-model.ts";
import { ATTEMPT_STRIDE, contents, follow, start, whenAsked } from "./lost-runs.ts";
import type { OpenRecoverable, RecoverableSession } from "./lost-runs.ts";

/** Every row of the tables that could be damaged, each with damage that its schema refuses. */
const damages: readonly (readonly [string, string])[] = [
  ["status", "UPDATE runs SET status = 'no such status' WHERE ordinal = 1"],
  ["failure", "UPDATE runs SET failure = '{' WHERE ordinal = 1"],
  ["finish reason", "UPDATE runs SET finish_reason = 'no such reason' WHERE ordinal = 1"],
  ["step", "UPDATE steps SET finish_reason = 'no such reason' WHERE run = 1"],
  ["call's arguments", "UPDATE calls SET args = '[' WHERE run = 1"],
  ["call's status", "UPDATE calls SET status = 'no such status' WHERE run = 1"],
  ["frame", "UPDATE frames SET data = '{' WHERE run = 1 AND event = 'message'"],
];

/** A run that has sent `kept `, called a tool and waits for its model, with another run queued after it. */
export async function runToLose<Session extends RecoverableSession>(
  open: (...session: Parameters<OpenRecoverable>) => Promise<Session>,
) {
  const steps = [["kept ", { call: "look", input: {} }], [{ wait: createGate() }], ["after all"], ["second"]];
  const session = await open(steps, { plugins: [toolPlugin("look", 1)] });
  const runId = await start(session, "hello");
  await whenAsked(session, 2);
  const queued = await start(session, "next", { multitask: "enqueue" });
  return { session, runId, queued };
}

export function describeDamagedRows(open: OpenRecoverable): void {
  /** Applies the statement to the rows of a lost run. */
  async function damaged(statement: string) {
    const lost = await runToLose(open);
    await lost.session.sql(statement);
    await lost.session.loseMemory();
    return lost;
  }

  describe.each(damages)("a damaged %s", (_, damage) => {
    test("does not stop its run from being resumed, nor the next one from being answered", async () => {
      const { session, runId, queued } = await damaged(damage);
      await session.fireAlarm();
      const frames = await follow(session, runId, ATTEMPT_STRIDE);
      expect(frames.at(-1)?.data).toMatchObject({ runId, status: "finished" });
      expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect(await contents(session)).toEqual(["hello", "kept after all", "next", "second"]);
    });

    test("lets its run be aborted at once", async () => {
      const { session, runId } = await damaged(damage);
      expect(valueOf(await session.core.abort(OWNER))).toBe(true);
      const done = (await follow(session, runId, 8)).at(-1)?.data;
      expect(done).toMatchObject({ status: "aborted", partialText: "kept " });
      expect(valueOf(await session.core.activeRun(OWNER))).toBeNull();
    });
  });

  test("a damaged call reaches the model as one whose outcome could not be read", async () => {
    const { session, queued } = await damaged("UPDATE calls SET args = '[' WHERE run = 1");
    await session.fireAlarm();
    await follow(session, queued);
    expect(session.model.asked[2]?.prompt.at(-1)?.content).toMatchObject([
      { output: { type: "error-text", value: "The call can no longer be read" } },
    ]);
  });

  test.each([
    ["is not JSON", "{"],
    ["does not match its schema", '{"client":"portal"}'],
  ])(
    "a run whose stored request %s fails and asks the user to send it again; the next one starts [OR-85]",
    async (_, request) => {
      const { session, runId, queued } = await damaged(`UPDATE runs SET request = '${request}' WHERE ordinal = 1`);
      await session.fireAlarm();
      const frames = await follow(session, runId, ATTEMPT_STRIDE);
      expect(eventsOf(frames)).toEqual(["run", "reasoning", "error", "done"]);
      expect(frames.at(-2)?.data).toMatchObject({
        error: "This message can no longer be read. Please send it again.",
        kind: "unknown",
        retryable: true,
      });
      expect(frames.at(-1)?.data).toMatchObject({ status: "failed", failed: true, partialText: "kept " });
      expect((await follow(session, queued)).at(-1)?.data).toMatchObject({ status: "finished" });
      expect(valueOf(await session.core.completeRun(OWNER, turn("again"))).status).toBe("finished");
    },
  );
}
