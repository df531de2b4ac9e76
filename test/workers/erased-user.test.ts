/** Erasing a user: sessions, values, blobs, delegation, counts and alarms. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { sessionByName } from "../../durable-objects/chat-session/calls.ts";
import { sessionRecord, turn, valueOf } from "../support/oracle/chat-turns.ts";
import { plugin, tool } from "../support/plugins/small-plugins.ts";
import { createGate } from "../../workers/oracle/testing/scripted-model.ts";
import { scriptOracle } from "../support/oracle/scripted-oracle.ts";
import { newSession } from "./chat-session/session-under-test.ts";
import { newUser, kvOf, tablesOf, blobsOf, textOf } from "../support/plugins/stored-values.ts";

afterEach(() => {
  vi.useRealTimers();
});

function describeSession(sessionId: string, caller: string) {
  return sessionByName(env.CHAT_SESSION, sessionId).describe(caller);
}

describe("erasing a user", () => {
  async function furnish(did: string): Promise<string> {
    const vault = env.USER_VAULT.getByName(did);
    const session = await newSession("deployed", did);
    await vault.putSession(sessionRecord(session.id));
    await vault.storeDelegation({ token: "b64", expiration: null, capabilities: [] });
    await vault.countRequest(10);
    await vault.reserveRun("run", { turns: 1, tokens: 0 });
    await kvOf(did).set("k", 1);
    await blobsOf("notes", did).put("k", "blob");
    await session.chat.completeRun(did, turn("hello"));
    return session.id;
  }

  /** Counts of the day stay until the next one. */
  async function nothingRemainsAfterTheDay(did: string): Promise<void> {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
    await runDurableObjectAlarm(env.USER_VAULT.getByName(did));
    expect(await tablesOf(did)).toEqual([]);
  }

  test("leaves only the counts of the day: no session, value, blob or delegation; another user keeps theirs [OR-217]", async () => {
    const [ada, bob] = [newUser(), newUser()];
    const [sessionId, kept] = [await furnish(ada), await furnish(bob)];
    await env.USER_VAULT.getByName(ada).eraseUser();
    expect(await kvOf(ada).get("k")).toBeUndefined();
    expect(await blobsOf("notes", ada).get("k")).toBeNull();
    expect(await env.USER_VAULT.getByName(ada).readDelegation()).toBeNull();
    expect(await describeSession(sessionId, ada)).toMatchObject({ ok: false });
    expect(await env.USER_VAULT.getByName(ada).reserveRun("run-2", { turns: 1, tokens: 0 })).toMatchObject({
      reserved: false,
    });
    expect(await describeSession(kept, bob)).toMatchObject({ ok: true });
    expect(await kvOf(bob).get("k")).toBe(1);
    expect(await textOf(await blobsOf("notes", bob).get("k"))).toBe("blob");
    await nothingRemainsAfterTheDay(ada);
  });

  test("of more sessions than are destroyed at once, and twice, is whole; the user can start again [OR-217]", async () => {
    const did = newUser();
    const vault = env.USER_VAULT.getByName(did);
    const sessions = await Promise.all(Array.from({ length: 21 }, () => newSession("deployed", did)));
    for (const { id } of sessions) await vault.putSession(sessionRecord(id));
    await vault.eraseUser();
    await vault.eraseUser();
    for (const { chat } of sessions) expect((await chat.describe(did)).ok).toBe(false);
    await furnish(did);
    expect(await kvOf(did).get("k")).toBe(1);
  });

  test("a tool that still runs in a deleted session brings nothing back [OR-217]", async () => {
    const did = newUser();
    const gate = createGate();
    const ended = createGate();
    const outcomes: unknown[] = [];
    const late = plugin("late", {
      getTools: () => [
        tool("write", async (_args, { kv, blobs }) => {
          await gate.opened;
          const writes: readonly Promise<void>[] = [kv.set("k", 1), Promise.resolve(blobs?.put("k", "late"))];
          outcomes.push(...(await Promise.allSettled(writes)));
          ended.open();
        }),
      ],
    });
    const model = scriptOracle([[{ call: "write", input: {} }], ["done"]], { plugins: [late] });
    const session = await newSession("scripted", did);
    const run = session.chat.completeRun(did, turn("write"));
    await model.whenAsked(1);
    // As eraseUser does; this session belongs to a binding other than the one that eraseUser knows.
    await session.chat.destroy(did);
    gate.open();
    await ended.opened;
    await run.catch(() => undefined);
    expect(outcomes).toMatchObject([
      { reason: { message: "This session was deleted" } },
      { reason: { message: "This session was deleted" } },
    ]);
    expect(await kvOf(did).get("k")).toBeUndefined();
    // The turn counts against the limits of its day, and the count goes with the day.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
    expect(await runDurableObjectAlarm(env.USER_VAULT.getByName(did))).toBe(true);
    expect(await tablesOf(did)).toEqual([]);
    expect(await blobsOf("late", did).get("k")).toBeNull();
  });

  test("continues where it failed when a session could not be reached [OR-217]", async () => {
    const did = newUser();
    const vault = env.USER_VAULT.getByName(did);
    const sessionId = await furnish(did);
    // The record of a session whose object has lost it: the session was destroyed before, so its erasure cannot fail.
    await vault.putSession(sessionRecord(crypto.randomUUID()));
    await runInDurableObject(vault, async (object) => {
      const own = object as unknown as { env: { CHAT_SESSION: unknown } };
      const binding = own.env.CHAT_SESSION;
      own.env = {
        ...own.env,
        CHAT_SESSION: { getByName: () => ({ destroy: () => Promise.reject(new Error("lost")) }) },
      };
      await expect(object.eraseUser()).rejects.toThrow("lost");
      own.env = { ...own.env, CHAT_SESSION: binding };
    });
    expect(await kvOf(did).get("k")).toBe(1);
    expect(valueOf(await describeSession(sessionId, did))).toMatchObject({ sessionId });
    await vault.eraseUser();
    expect(await kvOf(did).get("k")).toBeUndefined();
    expect((await describeSession(sessionId, did)).ok).toBe(false);
    await nothingRemainsAfterTheDay(did);
  });
});
