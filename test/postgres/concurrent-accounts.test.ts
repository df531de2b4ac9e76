/**
 * Concurrent writers of the tables outside of the registry's lock: claims, preferences, and those of the phone gateway. Each test has as
 * many connections as writers, and the engine orders them.
 */
import { expect, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { createLogger } from "../../platform/log.ts";
import { openClaim } from "../../oracle/plugins/credits/claims-table.ts";
import { BATCH_SIZE, createDeliveryTable } from "../../oracle/plugins/claims/delivery-table.ts";
import {
  loadPreferences,
  mergePreferences,
  PREFERENCE_FIELDS,
} from "../../oracle/plugins/user-preferences/preferences.ts";
import { createStatistics } from "../../workers/ussd/statistics.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";
import {
  auditEvents,
  countRows,
  granted,
  LIMITS,
  newCaller,
  newCustomer,
  pendingPin,
  PIN,
  testAccounts,
  valueOf,
} from "../support/ussd/accounts.ts";

const WRITERS = 20;
const DAY = 86_400_000;
const log = createLogger({}, () => undefined);

function concurrently<Value>(work: (writer: number) => Promise<Value>, writers = WRITERS): Promise<readonly Value[]> {
  return Promise.all(Array.from({ length: writers }, (_, writer) => work(writer)));
}

test("concurrent batches of claims never lease the same claim, and lease all of them in the end [OR-351, RG-295]", async () => {
  const database = freshPostgres();
  const createdAt = "2026-01-01T00:00:00.000Z";
  const runs = Array.from({ length: 3 * BATCH_SIZE }, (_, run) => run);
  for (const run of runs) await openClaim(database, { payer: "did:key:z", runId: `run-${run}`, amount: 1, createdAt });
  const table = createDeliveryTable(database);
  const leased: string[] = [];
  while (leased.length < runs.length) {
    const round = await concurrently((writer) => table.lease(`lease-${leased.length}-${writer}`, 1_000));
    leased.push(...round.flatMap((claims) => claims.map(({ id }) => id)));
    expect(new Set(leased).size).toBe(leased.length);
  }
  expect(leased).toHaveLength(runs.length);
});

test("a turn that is reported concurrently opens one claim [OR-343, RG-295]", async () => {
  const database = freshPostgres();
  const claim = { payer: "did:key:z", runId: "run", amount: 1, createdAt: "2026-01-01T00:00:00.000Z" };
  await concurrently(() => openClaim(database, claim));
  expect(await countRows(database, "claims")).toBe(1);
});

test("concurrent changes of one user's preferences are all kept [RG-295]", async () => {
  const database = freshPostgres();
  const key = { userDid: "did:key:user", oracleDid: "did:key:oracle" };
  const fields = PREFERENCE_FIELDS.filter((field) => field !== "formality");
  await concurrently((writer) => {
    const field = fields[writer % fields.length] ?? "tone";
    return mergePreferences(database, key, { [field]: `value of ${field}` }, writer, log);
  });
  const stored = await loadPreferences(database, key, log);
  expect(stored?.preferences).toEqual(Object.fromEntries(fields.map((field) => [field, `value of ${field}`])));
  await concurrently((writer) => mergePreferences(database, key, { tone: writer % 2 === 0 ? "" : "dry" }, writer, log));
  const { tone: _, ...others } = (await loadPreferences(database, key, log))?.preferences ?? {};
  expect(Object.keys(others)).toHaveLength(fields.length - 1);
});

test("one creation key creates one account, and one phone gets at most its maximum number of accounts [PH-53, RG-295]", async () => {
  const database = freshPostgres();
  const { port } = await testAccounts(database);
  const caller = newCaller();
  const creationKey = crypto.randomUUID();
  const sealedPin = await pendingPin(port, creationKey);
  const account = { caller, creationKey, name: "John Doe", email: null, language: null, sealedPin };
  const created = await concurrently(() => valueOf(port.createAccount(account)));
  expect(new Set(created.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
  expect(await countRows(database, "customers")).toBe(1);

  const others = await concurrently(async () => {
    const key = crypto.randomUUID();
    const sealed = await pendingPin(port, key);
    return valueOf(port.createAccount({ ...account, creationKey: key, sealedPin: sealed }));
  });
  expect(others.filter(({ state }) => state === "created")).toHaveLength(LIMITS.accountsPerPhone - 1);
  expect(await countRows(database, "customers")).toBe(LIMITS.accountsPerPhone);
});

test("concurrent questions of one customer stay within the daily limit [RG-295]", async () => {
  const database = freshPostgres();
  const { port } = await testAccounts(database);
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
  const taken = await concurrently(
    (writer) => valueOf(port.takeQuestion(login, `job-${writer}`)),
    2 * LIMITS.questionsPerDay,
  );
  expect(taken.filter((outcome) => outcome === "taken")).toHaveLength(LIMITS.questionsPerDay);
  expect(taken.filter((outcome) => outcome === "limit")).toHaveLength(LIMITS.questionsPerDay);
  expect(await countRows(database, "ussd_questions")).toBe(LIMITS.questionsPerDay);
});

test("parallel wrong PINs use up the attempts once, and the audit log has each of them in order [PH-58, RG-295]", async () => {
  const database = freshPostgres();
  const { port } = await testAccounts(database);
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  const guesses = await concurrently(() => valueOf(port.login({ caller, customerId, pin: "99999" })));
  expect(guesses.filter(({ state }) => state === "refused")).toHaveLength(LIMITS.pinAttempts - 1);
  expect(guesses.filter((guess) => guess.state === "locked" && guess.now)).toHaveLength(1);
  const failed = (await auditEvents(database, customerId)).filter((event) => event === "LOGIN_FAILED");
  expect(failed).toHaveLength(LIMITS.pinAttempts);
  const { results } = await database.prepare("SELECT id FROM audit_log ORDER BY id").all<{ id: number }>();
  expect(results.map(({ id }) => id)).toEqual(results.map((_, at) => at + 1));
});

test("concurrent writes to the index of sessions leave the latest step [PH-100, RG-295]", async () => {
  const database = freshPostgres();
  const { port } = await testAccounts(database);
  const caller = newCaller();
  await concurrently((writer) =>
    valueOf(
      port.saveSession({
        phoneNumber: caller.phoneNumber,
        sessionId: caller.sessionId,
        serviceCode: "*2233#",
        state: `step-${writer}`,
        authenticated: false,
        revision: writer,
        startedAt: 1,
        lastActivity: writer,
        expiresAt: 1_000,
        resumeUntil: null,
        endedAt: null,
      }),
    ),
  );
  const row = await database.prepare("SELECT state, revision FROM ussd_sessions").first();
  expect(row).toEqual({ state: `step-${WRITERS - 1}`, revision: WRITERS - 1 });
});

test("reports of sessions in any order of screens are all counted, while days are added up [PH-103, PH-133, RG-295]", async () => {
  const database = freshPostgres();
  const clock = { now: Date.parse("2026-11-21T12:00:00Z") };
  const statistics = createStatistics(database, () => clock.now, log);
  const screens = ["A", "B", "C", "D"];
  const report = (writer: number) => {
    const order = [...screens.slice(writer % screens.length), ...screens.slice(0, writer % screens.length)];
    return {
      language: "en" as const,
      screens: Object.fromEntries(order.map((screen) => [screen, { shown: 1, refused: 0 }])),
      steps: 4,
      resyncs: 0,
      overflows: 0,
      milestones: {},
      latencies: {},
      latencySumMs: 0,
      lastScreen: "A",
      ending: "exit" as const,
    };
  };
  await concurrently((writer) => valueOf(statistics.report(report(writer))));
  clock.now += 3 * DAY;
  await concurrently(async (writer) => {
    await valueOf(statistics.report(report(writer)));
    for (let run = 0; run < 12; run += 1) await valueOf(statistics.addUp());
  });
  const { counters, screens: counted } = await valueOf(statistics.totals());
  expect(counters).toMatchObject({ sessions: 2 * WRITERS, steps: 8 * WRITERS });
  expect(counted.map(({ screen, shown }) => [screen, shown])).toEqual(screens.map((screen) => [screen, 2 * WRITERS]));
  expect(await summedTwice(database)).toBe(0);
});

/** Rows of the sums that are not the sum of their days. */
async function summedTwice(database: Database): Promise<number> {
  return countRows(
    database,
    `ussd_counter_totals WHERE value <> (SELECT coalesce(sum(days.value), 0) FROM ussd_counters AS days
       WHERE days.counter = ussd_counter_totals.counter AND days.day <= (SELECT day FROM ussd_totals_until))`,
  );
}
