/** Dials and the index of sessions over a real D1. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../../../durable-objects/ussd-session/ports.ts";
import { MINUTE, newCaller, testAccounts, valueOf } from "../../support/ussd/accounts.ts";

const accounts = () => testAccounts(env.DATABASE);

describe("a dial", () => {
  test("counts one visit however often it is repeated, and finds resumable sessions [PH-79, PH-85]", async () => {
    const { port, clock } = await accounts();
    const caller = newCaller();
    const dial = { ...caller, serviceCode: "*2233#", visitKey: "v1" };
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => valueOf(port.dial(dial))));
    expect(outcomes).toEqual(
      Array.from({ length: 8 }, () => ({ language: null, resumable: null, accountsLeft: 5, textMode: null })),
    );
    const visits = () =>
      env.DATABASE.prepare("SELECT visits FROM phones WHERE phone_e164 = ?").bind(caller.phoneNumber).first("visits");
    expect(await visits()).toBe(1);

    const entry: SessionEntry = {
      ...caller,
      serviceCode: "*2233#",
      state: "accountCreation",
      authenticated: false,
      revision: 3,
      startedAt: clock.now,
      lastActivity: clock.now,
      expiresAt: clock.now + 3 * MINUTE,
      resumeUntil: clock.now + 15 * MINUTE,
      endedAt: null,
    };
    await valueOf(port.saveSession(entry));
    const redial = { ...dial, sessionId: crypto.randomUUID(), visitKey: "v2" };
    expect(await valueOf(port.dial(redial))).toEqual({
      language: null,
      resumable: caller.sessionId,
      accountsLeft: 5,
      textMode: null,
    });
    expect(await visits()).toBe(2);
    expect(await valueOf(port.dial({ ...redial, serviceCode: "*144#" }))).toMatchObject({ resumable: null });
    expect(await valueOf(port.dial({ ...redial, phoneNumber: newCaller().phoneNumber }))).toMatchObject({
      resumable: null,
    });
    clock.now += 15 * MINUTE;
    expect(await valueOf(port.dial(redial))).toMatchObject({ resumable: null });
  });
});

test("the index lists live sessions, latest first, and ignores late writes of earlier steps [PH-100]", async () => {
  await env.DATABASE.prepare("DELETE FROM ussd_sessions").run();
  const { port, operators, clock, purge } = await accounts();
  const [first, second] = [newCaller(), newCaller()];
  const entry = (caller: typeof first, change: Partial<SessionEntry>): SessionEntry => ({
    ...caller,
    serviceCode: "*2233#",
    state: "preMenu",
    authenticated: false,
    revision: 1,
    startedAt: clock.now,
    lastActivity: clock.now,
    expiresAt: clock.now + 3 * MINUTE,
    resumeUntil: null,
    endedAt: null,
    ...change,
  });
  await valueOf(port.saveSession(entry(first, {})));
  await valueOf(port.saveSession(entry(second, { lastActivity: clock.now + 1 })));
  const listed = (caller: typeof first, lastActivity: number) => ({
    name: caller.sessionId,
    state: "preMenu",
    startedAt: clock.now,
    lastActivity,
  });
  expect(await valueOf(operators.activeSessions())).toEqual({
    sessions: [listed(second, clock.now + 1), listed(first, clock.now)],
    count: 2,
  });
  await valueOf(port.saveSession(entry(second, { revision: 3, endedAt: clock.now })));
  await valueOf(port.saveSession(entry(second, { revision: 2 })));
  expect(await valueOf(operators.activeSessions())).toEqual({ sessions: [listed(first, clock.now)], count: 1 });
  await valueOf(port.saveSession(entry(second, { revision: 1, startedAt: clock.now + 1 })));
  expect((await valueOf(operators.activeSessions())).count).toBe(2);
  clock.now += 3 * MINUTE;
  expect(await valueOf(operators.activeSessions())).toEqual({ sessions: [], count: 0 });
  await valueOf(purge());
  expect((await env.DATABASE.prepare("SELECT * FROM ussd_sessions").all()).results).toEqual([]);
  const stored = await env.DATABASE.prepare("SELECT * FROM audit_log").all();
  expect(JSON.stringify(stored)).not.toContain(first.phoneNumber);
});
