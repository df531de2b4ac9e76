/**
 * When a plugin's gate is asked about a message. A gate may debit credits, so it is never asked without need and never twice.
 */
import { expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, faultOf, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { start } from "../../test/support/oracle/lost-runs.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { createGate, createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { admit, refuse, type RequestAdmission } from "../../oracle/framework/admission.ts";
import { QUEUED_RUNS } from "../../oracle/runs/run-queue.ts";

async function open(answer: () => Promise<RequestAdmission>, ...steps: readonly (readonly Beat[])[]) {
  const asked: string[] = [];
  const model = createScriptedModel();
  model.plays(...steps);
  const gate = plugin("credits", {
    getRequestAdmission({ request }) {
      asked.push(request.message);
      return answer();
    },
  });
  const session = await startSession({ settings: { models: chatModels(model), plugins: [gate] } });
  return { session, model, asked };
}

test("is not asked about a message that the session's limit of messages refuses [OR-235]", async () => {
  const { session, asked } = await open(async () => admit(), ["One."]);
  expect(valueOf(await session.core.completeRun(OWNER, turn("first"), 1))).toMatchObject({ status: "finished" });
  expect(faultOf(await session.core.completeRun(OWNER, turn("second"), 1))).toMatchObject({ reason: "message_limit" });
  expect(asked).toEqual(["first"]);
});

test("is not asked about a message for which the queue has no room [OR-235]", async () => {
  const { session, asked } = await open(async () => admit(), [{ wait: createGate() }]);
  await start(session, "first");
  for (let waiting = 0; waiting < QUEUED_RUNS; waiting += 1) await start(session, "waits", { multitask: "enqueue" });
  const refused = faultOf(await session.core.acceptRun(OWNER, turn("more", { multitask: "enqueue" })));
  expect(refused).toMatchObject({ reason: "queue_full" });
  expect(asked).toHaveLength(QUEUED_RUNS + 1);
});

test("checks the limit again if messages were admitted at the same time [OR-235]", async () => {
  const { session, asked } = await open(async () => admit(), ["One."]);
  const both = await Promise.all(["a", "b"].map((text) => session.core.acceptRun(OWNER, turn(text), 1)));
  expect(both.map(({ ok }) => ok)).toEqual([true, false]);
  expect(asked).toEqual(["a", "b"]);
});

test("is asked once about a message that arrives twice at once; both requests get its run [OR-235]", async () => {
  const { session, asked } = await open(async () => admit(), ["One."]);
  const message = turn("pay", { clientMessageId: "m-1" });
  const [one, two] = await Promise.all([
    session.core.acceptRun(OWNER, message),
    session.core.acceptRun(OWNER, { ...message, requestId: "req-2" }),
  ]);
  expect(valueOf(one).runId).toBe(valueOf(two).runId);
  expect([valueOf(one).replayed, valueOf(two).replayed]).toEqual([undefined, true]);
  expect(asked).toEqual(["pay"]);
});

test("is asked again when a message that it refused, or on which it failed, is sent again [OR-235]", async () => {
  const answers = [async () => refuse("forbidden", "No credits"), () => Promise.reject(new Error("down"))];
  const { session, asked } = await open(async () => (await answers.shift()?.()) ?? admit(), ["One."]);
  const message = turn("pay", { clientMessageId: "m-1" });
  expect(faultOf(await session.core.acceptRun(OWNER, message)).code).toBe("forbidden");
  await expect(session.core.acceptRun(OWNER, message)).rejects.toThrow("down");
  expect((await session.core.acceptRun(OWNER, message)).ok).toBe(true);
  expect(asked).toHaveLength(3);
});
