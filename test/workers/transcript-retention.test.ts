/** `ORACLE_TRANSCRIPT_DAYS`: a user's object destroys the sessions that were not used for that long. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { UserVault } from "../../durable-objects/user-vault.ts";
import { sessionByName } from "../../durable-objects/chat-session/calls.ts";
import { sessionRecord, turn } from "../support/oracle/chat-turns.ts";
import { newUser } from "../support/plugins/stored-values.ts";
import { newSession } from "./chat-session/session-under-test.ts";

const DAY = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

/** The user's object as a deployment with the variable has it. */
function withDays<Value>(did: string, days: string, work: (vault: UserVault) => Promise<Value>): Promise<Value> {
  return runInDurableObject(env.USER_VAULT.getByName(did), (_object, state) =>
    work(new UserVault(state, { ...env, ORACLE_TRANSCRIPT_DAYS: days } as Env)),
  );
}

const alarmOf = (did: string) =>
  runInDurableObject(env.USER_VAULT.getByName(did), (_object, state) => state.storage.getAlarm());

async function sessionOf(did: string, days: string, lastUpdatedAt = new Date().toISOString()): Promise<string> {
  const session = await newSession("deployed", did);
  await session.chat.completeRun(did, turn("hello"));
  await withDays(did, days, (vault) => vault.putSession({ ...sessionRecord(session.id), lastUpdatedAt }));
  return session.id;
}

const exists = async (sessionId: string, did: string): Promise<boolean> =>
  (await sessionByName(env.CHAT_SESSION, sessionId).describe(did)).ok;

test("a session ends that many days after its last message, and a used one stays [OR-676]", async () => {
  const did = newUser();
  const old = await sessionOf(did, "30", new Date(Date.now() - 25 * DAY).toISOString());
  const used = await sessionOf(did, "30");
  const end = await alarmOf(did);
  expect(Math.abs((end ?? 0) - (Date.now() + 5 * DAY))).toBeLessThan(60_000);
  await withDays(did, "30", (vault) => vault.alarm());
  expect([await exists(old, did), await exists(used, did)]).toEqual([true, true]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6 * DAY });
  await withDays(did, "30", (vault) => vault.alarm());
  expect([await exists(old, did), await exists(used, did)]).toEqual([false, true]);
  // The next one.
  expect(Math.abs(((await alarmOf(did)) ?? 0) - (Date.now() + 24 * DAY))).toBeLessThan(60_000);
  await withDays(did, "30", (vault) => vault.touchSession(used, { lastUpdatedAt: new Date().toISOString() }));
  vi.setSystemTime(Date.now() + 25 * DAY);
  await withDays(did, "30", (vault) => vault.alarm());
  expect(await exists(used, did)).toBe(true);
  const { value } = await env.USER_VAULT.getByName(did).listSessions(Infinity, { limit: 5, offset: 0 });
  expect(value?.sessions.map(({ sessionId }) => sessionId)).toEqual([used]);
});

test("more sessions than one alarm destroys end with the next alarms [OR-676]", async () => {
  const did = newUser();
  const lastUpdatedAt = new Date(Date.now() - 2 * DAY).toISOString();
  for (let count = 0; count < 25; count += 1)
    await withDays(did, "1", (vault) => vault.putSession({ ...sessionRecord(crypto.randomUUID()), lastUpdatedAt }));
  const left = () =>
    runInDurableObject(env.USER_VAULT.getByName(did), (_object, { storage: { sql } }) => {
      const isErased = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").toArray().length === 0;
      return isErased ? "nothing" : sql.exec("SELECT 1 FROM sessions").toArray().length;
    });
  await withDays(did, "1", (vault) => vault.alarm());
  expect(await left()).toBe(5);
  await withDays(did, "1", (vault) => vault.alarm());
  // The user has nothing else, so the object erases itself.
  expect(await left()).toBe("nothing");
});

test("without the variable, sessions are kept, and no alarm is set [OR-676]", async () => {
  const did = newUser();
  const session = await sessionOf(did, "0", "2020-01-01T00:00:00.000Z");
  expect(await alarmOf(did)).toBeNull();
  await runDurableObjectAlarm(env.USER_VAULT.getByName(did));
  expect(await exists(session, did)).toBe(true);
});
