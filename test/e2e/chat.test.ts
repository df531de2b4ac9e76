/** A user talks to the served oracle with the terminal client (issue scenario 1). */
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { createChatUser } from "../support/oracle/terminal-user.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
});

test("a first message is answered by a model that is labelled as built-in [OR-136, OR-153]", async () => {
  const { code, answer, notes } = await createChatUser(server.url).chat("hello");
  expect({ code, answer }).toEqual({ code: 0, answer: "You said: hello\n" });
  expect(notes).toContain("model local, the built-in development model");
});

test("the answer is streamed: its beginning appears long before its end [OR-153]", async () => {
  const chat = createChatUser(server.url).start("/slow 1000 50");
  await chat.answered("part 3 ");
  chat.signal("SIGINT");
  const { code, answer } = await chat.end;
  expect(code).toBe(130);
  expect(answer).not.toContain("part 1000");
});

test("a stated preference is stored, and applies in the first turn of a new session", async () => {
  const { chat } = createChatUser(server.url);
  const reply = await chat("From now on call yourself Juno and answer briefly");
  expect(reply.code).toBe(0);
  expect(reply.notes).toContain("set_user_preferences");
  expect(JSON.parse((await chat("--preferences", "--json")).answer)).toMatchObject({ agentName: "Juno" });

  const { code, answer } = await chat("hello");
  expect({ code, answer }).toEqual({ code: 0, answer: "Juno: You said: hello\n" });
});

test("a conversation continues in its session, and the transcript has it once and in order", async () => {
  const { chat } = createChatUser(server.url);
  await chat("one");
  await chat("--continue", "two");
  const { messages } = JSON.parse((await chat("--history", "--json")).answer);
  expect(messages.map((message: { content: string }) => message.content)).toEqual([
    "one",
    "You said: one",
    "two",
    "You said: two",
  ]);
  expect(JSON.parse((await chat("--sessions", "--json")).answer)).toMatchObject({ total: 1 });
});

test("a tool call is shown on one line with its outcome", async () => {
  const { code, notes } = await createChatUser(server.url).chat('/tool set_user_preferences {"agentName":"Juno"}');
  expect(code).toBe(0);
  const lines = notes.split("\n").filter((line) => line.includes("set_user_preferences"));
  expect(lines).toEqual([expect.stringMatching(/\{"agentName":"Juno"\} \.\.\. done: .*Preferences saved/)]);
});

test("a failed run prints the reason and exits with code 1 [OR-153]", async () => {
  const { code, notes } = await createChatUser(server.url).chat("/fail rate_limit");
  expect(code).toBe(1);
  expect(notes).toContain("rate_limit");
  expect(notes).toContain("The run failed.");
});

test("--abort from another terminal stops the answer and keeps the text so far", async () => {
  const user = createChatUser(server.url);
  const long = user.start("/slow 1000 50");
  await long.answered("part 3 ");
  expect((await user.chat("--abort")).notes).toContain("Stopped.");
  const { code, notes } = await long.end;
  expect(code).toBe(1);
  expect(notes).toContain("The answer was stopped.");
  const { messages } = JSON.parse((await user.chat("--history", "--json")).answer);
  expect(messages.at(-1).content).toMatch(/^part 1 part 2 part 3 /);
});

describe("after Ctrl-C", () => {
  test("--resume prints the rest of the answer, which continued meanwhile", async () => {
    const user = createChatUser(server.url);
    const first = user.start("/slow 100 50");
    await first.answered("part 3 ");
    first.signal("SIGINT");
    const shown = await first.end;
    expect(shown.code).toBe(130);
    const rest = await user.chat("--resume");
    expect(rest.code).toBe(0);
    const parts = Array.from({ length: 100 }, (_, index) => `part ${index + 1}`);
    expect(`${shown.answer}${rest.answer}`.trim()).toBe(parts.join(" "));
  });
});

test("another user's session looks like an unknown one [OR-39]", async () => {
  const owner = createChatUser(server.url);
  await owner.chat("hello");
  const { sessions } = JSON.parse((await owner.chat("--sessions", "--json")).answer);
  const { code, notes } = await createChatUser(server.url).chat("--session", sessions[0].sessionId, "hello");
  expect(code).toBe(1);
  expect(notes).toContain("Session not found");
});
