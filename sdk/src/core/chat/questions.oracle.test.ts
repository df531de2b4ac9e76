/** Questions to the user in a chat, against the real oracle. */
import { expect, test } from "vitest";
import { sessionOfOracle } from "../../../../test/support/sdk/chat-of-oracle.ts";
import { plugin, tool } from "../../../../test/support/plugins/small-plugins.ts";
import type { ServerPayload } from "../wire.ts";

test("an approval from stream and socket is one question, answered with or without a socket [SD-62]", async () => {
  const made: number[] = [];
  const pay = { ...tool("pay", () => ({ paid: made.push(1) })), needsApproval: true };
  const session = await sessionOfOracle({
    steps: [[{ call: "pay", input: { sum: 3 } }], ["paid"], [{ call: "pay", input: { sum: 4 } }], ["not paid"]],
    plugins: [plugin("payer", { getTools: () => [pay] })],
  });
  const { chat, view, until, socket, answers, connect } = session.open();
  chat.retain();
  const first = chat.send("pay");
  const { questions, run } = await until(({ questions }) => questions.length > 0);
  const [question] = questions;
  expect(questions).toEqual([
    { id: expect.stringMatching(/^ap_/), runId: run.runId, kind: "approval", toolName: "pay", args: { sum: 3 } },
  ]);
  const call: ServerPayload<"action_call"> = {
    sessionId: session.sessionId,
    requestId: run.requestId ?? "",
    toolCallId: question?.id ?? "",
    toolName: "approve_tool",
    args: { toolName: "pay", args: { sum: 3 } },
    status: "isRunning",
  };
  socket().onQuestion(call);
  expect(view.getSnapshot().questions).toEqual(questions);
  await chat.answerQuestion(question?.id ?? "", { approved: true });
  expect(view.getSnapshot().questions).toEqual([]);
  await first;
  expect(made).toEqual([1]);
  // Another client answered in between: no error for the user.
  socket().onQuestion({ ...call, requestId: "other" });
  await chat.answerQuestion(call.toolCallId, { approved: false });
  const second = chat.send("pay more");
  const next = await until(({ questions }) => questions.length > 0);
  connect();
  await chat.answerQuestion(next.questions[0]?.id ?? "", { approved: false });
  expect([answers, view.getSnapshot().questions]).toEqual([[[next.questions[0]?.id, { approved: false }]], []]);
  await chat.abort();
  await second;
  expect(made).toEqual([1]);
});

test("a question whose answer is refused appears again with the refusal, and the next answer counts [SD-276]", async () => {
  const made: number[] = [];
  const pay = { ...tool("pay", () => ({ paid: made.push(1) })), needsApproval: true };
  let isFull = true;
  const refusal = { message: "The oracle is full.", requestId: "req_full", retryAfterMs: 2_000 };
  const { open } = await sessionOfOracle({
    steps: [[{ call: "pay", input: {} }], ["paid"]],
    plugins: [plugin("payer", { getTools: () => [pay] })],
    before: ({ path }) =>
      isFull && path.includes("/approvals/") ? Response.json(refusal, { status: 503 }) : undefined,
  });
  const { chat, view, until } = open();
  chat.retain();
  const sent = chat.send("pay");
  const [question] = (await until(({ questions }) => questions.length > 0)).questions;
  const answer = (): Promise<void> => chat.answerQuestion(question?.id ?? "", { approved: true });
  await expect(answer()).rejects.toMatchObject(refusal);
  expect(view.getSnapshot().questions).toEqual([{ ...question, error: expect.objectContaining(refusal) }]);
  isFull = false;
  const again = answer();
  expect(view.getSnapshot().questions).toEqual([]);
  await Promise.all([again, sent]);
  expect(made).toEqual([1]);
});

test("the error of an answer stays when the question is repeated, and disappears with the question [SD-276]", async () => {
  const { open } = await sessionOfOracle();
  const { chat, view, socket } = open();
  chat.retain();
  const asked = { toolCallId: "c", toolName: "mcp_elicitation", args: {}, requestId: "q" } as never;
  const errors = () => view.getSnapshot().questions.map(({ error }) => error?.name);
  socket().onQuestion(asked);
  await expect(chat.answerQuestion("c", { action: "decline" })).rejects.toThrow("not open");
  socket().onQuestion(asked);
  expect(errors()).toEqual(["OfflineError"]);
  await chat.refetch();
  expect(errors()).toEqual([]);
  socket().onQuestion(asked);
  expect(errors()).toEqual([undefined]);
});
