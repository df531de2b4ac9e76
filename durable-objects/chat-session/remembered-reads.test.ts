/** Which turns can use values of the user's storage that an earlier turn has read. */
import { expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { follow, start } from "../../test/support/oracle/lost-runs.ts";
import { calling, openPlay } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { SessionInNode } from "../../test/support/oracle/session-in-node.ts";

async function sayAt(session: SessionInNode, revision: string): Promise<void> {
  const { frames } = valueOf(await session.core.startRun(OWNER, turn("go"), 0, { revision }));
  await readFrames(frames).rest();
  await session.settled();
}

test("a queued turn reads again, and so does a turn whose process was lost [OR-410]", async () => {
  let reads = 0;
  const held = Promise.withResolvers<string>();
  const reading = plugin("reading", {
    getSharedState: async ({ remembered }) => {
      await remembered("key", async () => (reads += 1));
      return {};
    },
    getTools: () => [{ ...tool("wait", () => held.promise), effect: "read" as const }],
  });
  const { session } = await openPlay([["One."], ["Two."], [calling("wait")], ["Three."], ["Four."]], [reading]);
  await sayAt(session, "1");
  await sayAt(session, "1");
  expect(reads).toBe(1);

  const first = valueOf(await session.core.acceptRun(OWNER, turn("go"), 0, { revision: "1" }));
  const queued = turn("go", { multitask: "enqueue" });
  const second = valueOf(await session.core.acceptRun(OWNER, queued, 0, { revision: "1" }));
  held.resolve("done");
  await follow(session, first.runId);
  await follow(session, second.runId);
  expect(reads).toBe(2);
});

test("a recovered turn reads again [OR-410]", async () => {
  const seen: number[] = [];
  let reads = 0;
  const reading = plugin("reading", {
    getSharedState: async ({ remembered }) => {
      seen.push(await remembered("key", async () => (reads += 1)));
      return reads === 1 ? new Promise<never>(() => undefined) : {};
    },
  });
  const { session } = await openPlay([["Hi."]], [reading]);
  const runId = await start(session, "go");
  await expect.poll(() => seen).toEqual([1]);
  session.restart();
  session.core.watch();
  await follow(session, runId);
  expect(seen).toEqual([1, 2]);
});
