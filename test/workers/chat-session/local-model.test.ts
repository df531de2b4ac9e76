/** The deployed session over the built-in model: its commands produce the documented frames. */
import { expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../support/oracle/chat-turns.ts";
import { eventsOf, textOf } from "../../support/oracle/frame-reader.ts";
import { newSession, start } from "./session-under-test.ts";

test("any text is echoed word by word; the frames add up to the transcript's text [OR-136]", async () => {
  const session = await newSession("deployed");
  const frames = await (await start(session, "hello out there")).frames.rest();
  expect(textOf(frames)).toBe("You said: hello out there");
  expect(valueOf(await session.chat.messagePage(OWNER, { limit: 100 })).messages).toMatchObject([
    { type: "human", content: "hello out there" },
    { type: "ai", content: "You said: hello out there" },
  ]);
});

test("/think: a reasoning delta, then Done.", async () => {
  const session = await newSession("deployed");
  const frames = await (await start(session, "/think it over")).frames.rest();
  expect(eventsOf(frames)).toEqual(["run", "reasoning", "reasoning", "message", "reasoning", "done"]);
  expect(frames[2]?.data).toMatchObject({ reasoning: "it over", isComplete: false });
  expect(textOf(frames)).toBe("Done.");
});

/** The operator's own account does not concern the user: kind unknown, status 500, no detail. */
const account = { kind: "unknown", retryable: false, status: 500 };
test.each([
  ["rate_limit", { kind: "rate_limit", retryable: true, status: 429, retryAfterMs: 1_000 }],
  ["timeout", { kind: "timeout", retryable: true }],
  ["server", { kind: "server", retryable: true, status: 500 }],
  ["network", { kind: "network", retryable: true }],
  ["unknown", { kind: "unknown", retryable: false }],
  ["billing", account],
  ["auth", account],
])("/fail %s: the text so far, an error %j, done failed", async (asked, error) => {
  const session = await newSession("deployed");
  const frames = await (await start(session, `/fail ${asked}`)).frames.rest();
  expect(eventsOf(frames)).toEqual(["run", "reasoning", "message", "reasoning", "error", "done"]);
  expect(frames[4]?.data).toMatchObject(error);
  expect(frames[4]?.data).not.toHaveProperty("detail");
  expect(frames[5]?.data).toMatchObject({ status: "failed", failed: true, partialText: "Starting " });
});

test("a tool stores a user's preference, which applies from the next turn on", async () => {
  const owner = `did:key:${crypto.randomUUID()}`;
  const session = await newSession("deployed", owner);
  await session.chat.completeRun(owner, turn("call me Ada"));
  const next = valueOf(await session.chat.completeRun(owner, turn("hello")));
  expect(next.content).toBe("Ada, You said: hello");
});
