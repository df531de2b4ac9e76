/** Another user's session and an unknown one look alike, and requests leave nothing behind. */
import type { ChatSessionRpc } from "../../../durable-objects/chat-session/calls.ts";
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { OWNER, STRANGER, turn, valueOf } from "../../support/oracle/chat-turns.ts";
import { newSession, unmadeSession } from "./session-under-test.ts";

/** Every call that names its caller; `runId` is a run of the session. */
const calls: readonly [string, (chat: ChatSessionRpc, caller: string, runId: string) => Promise<unknown>][] = [
  ["describe", (chat, caller) => chat.describe(caller)],
  ["startRun", (chat, caller) => chat.startRun(caller, turn("hi"))],
  ["completeRun", (chat, caller) => chat.completeRun(caller, turn("hi"))],
  ["hasMessage", (chat, caller) => chat.hasMessage(caller, "m-1")],
  ["activeRun", (chat, caller) => chat.activeRun(caller)],
  ["abort", (chat, caller) => chat.abort(caller)],
  ["messages", (chat, caller) => chat.messagePage(caller, { limit: 100 })],
  ["messagePage", (chat, caller) => chat.messagePage(caller, { limit: 20 })],
  ["destroy", (chat, caller) => chat.destroy(caller)],
  ["followRun", (chat, caller, runId) => chat.followRun(caller, runId, 0)],
];

test.each(calls)("%s of another user's session and of an unknown one return not found", async (name, call) => {
  const made = await newSession("deployed");
  const { runId } = valueOf(await made.chat.completeRun(OWNER, turn("mine")));
  const unmade = unmadeSession("deployed");
  const message = name === "followRun" ? "Run not found" : "Session not found";
  const refused = { ok: false, error: { code: "not_found", message } };
  expect(await call(made.chat, STRANGER, runId)).toEqual(refused);
  expect(await call(unmade.chat, OWNER, `${unmade.id}.${runId.split(".")[1]}`)).toEqual(refused);
  expect(valueOf(await made.chat.messagePage(OWNER, { limit: 100 })).messages.map(({ content }) => content)).toEqual([
    "mine",
    "You said: mine",
  ]);
});

test("a request for an unknown session, by any call, writes nothing to storage and sets no alarm [OR-149]", async () => {
  const { chat, stub } = unmadeSession("deployed");
  for (const [, call] of calls) await call(chat, OWNER, "run");
  const stored = await runInDurableObject(stub, async (_, { storage }) => ({
    tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    alarm: await storage.getAlarm(),
  }));
  expect(stored).toEqual({ tables: [], alarm: null });
});

test("a run of another session of this owner is not found", async () => {
  const [one, two] = [await newSession("deployed"), await newSession("deployed")];
  const { runId } = valueOf(await one.chat.completeRun(OWNER, turn("mine")));
  expect(await two.chat.followRun(OWNER, runId, 0)).toMatchObject({ error: { message: "Run not found" } });
});
