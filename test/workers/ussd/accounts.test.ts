/** Accounts over a real D1: creation, PINs, identities, and the rights of a login. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDidResolver } from "../../../platform/auth/did-resolver.ts";
import { identifyInvoker } from "../../../platform/auth/invocation.ts";
import { openAccounts } from "../../../workers/ussd/deployment.ts";
import {
  HOUR,
  PIN,
  auditEvents,
  countRows,
  customerColumn,
  granted,
  newCaller,
  newCustomer,
  pendingPin,
  testAccounts,
  valueOf,
} from "../../support/ussd/accounts.ts";

const ORACLE = "did:ixo:oracle";

const column = (customerId: string, name: string) => customerColumn(env.DATABASE, customerId, name);
const events = (customerId: string) => auditEvents(env.DATABASE, customerId);
const count = (table: string, ...values: readonly unknown[]) => countRows(env.DATABASE, table, ...values);
const accounts = () => testAccounts(env.DATABASE);

describe("creating an account", () => {
  test("returns an id with a check digit, links the phone, stores neither PIN nor private key in clear [PH-51, PH-52]", async () => {
    const { port } = await accounts();
    const caller = newCaller();
    const customerId = await newCustomer(port, caller, "Zoë O'Neil");
    expect(customerId).toMatch(/^C[0-9A-F]{9}$/);
    expect(await column(customerId, "full_name")).toBe("Zoë O'Neil");
    expect(await column(customerId, "key_did")).toMatch(/^did:key:z6Mk/);
    expect(
      await count("customer_phones JOIN phones ON phone_id = phones.id WHERE phone_e164 = ?", caller.phoneNumber),
    ).toBe(1);
    const row = await env.DATABASE.prepare("SELECT * FROM customers WHERE customer_id = ?").bind(customerId).first();
    expect(JSON.stringify(row)).not.toContain(PIN);
    expect(await events(customerId)).toEqual(["ACCOUNT_CREATED"]);
  });

  test("eight times concurrently with one key is one customer [PH-53]", async () => {
    const { port } = await accounts();
    const caller = newCaller();
    const creationKey = crypto.randomUUID();
    const account = { caller, creationKey, name: "Ada", email: "ada@test.com", language: "sw" as const };
    const sealedPin = await pendingPin(port, creationKey);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => valueOf(port.createAccount({ ...account, sealedPin }))),
    );
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(await count("customers WHERE creation_key = ?", creationKey)).toBe(1);
    expect(
      await count(
        "audit_log WHERE event = 'ACCOUNT_CREATED' AND customer_id IN (SELECT customer_id FROM customers WHERE creation_key = ?)",
        creationKey,
      ),
    ).toBe(1);
    const [outcome] = outcomes;
    if (outcome?.state !== "created") throw new Error("not created");
    const login = await valueOf(port.login({ caller, customerId: outcome.customerId, pin: PIN }));
    expect(login).toMatchObject({ state: "accepted", customer: { name: "Ada", language: "sw" } });
  });

  test("stops at the limit of one phone, and still returns an account that was created before [PH-54]", async () => {
    const { port } = await testAccounts(env.DATABASE, { limits: { accountsPerPhone: 2 } });
    const caller = newCaller();
    const keys = Array.from({ length: 6 }, () => crypto.randomUUID());
    const create = async (creationKey: string) => {
      const sealedPin = await pendingPin(port, creationKey);
      const account = { caller, creationKey, name: "Ada", email: null, language: null, sealedPin };
      return await valueOf(port.createAccount(account));
    };
    const outcomes = await Promise.all(keys.map(create));
    expect(outcomes.filter(({ state }) => state === "created")).toHaveLength(2);
    expect(await Promise.all(keys.map(create))).toEqual(outcomes);
    expect(await newCustomer(port, newCaller())).toMatch(/^C/);
  });

  test("an id that exists is drawn again [PH-52]", async () => {
    const draws = [1, 1, 2];
    const random = (bytes: number) =>
      bytes === 4 ? new Uint8Array(4).fill(0xa0 + (draws.shift() ?? 0)) : crypto.getRandomValues(new Uint8Array(bytes));
    const { port } = await testAccounts(env.DATABASE, { random });
    expect(await newCustomer(port, newCaller())).toMatch(/^CA1A1A1A1/);
    expect(await newCustomer(port, newCaller())).toMatch(/^CA2A2A2A2/);
  });

  test("a PIN that was prepared for another account is rejected [PH-112]", async () => {
    const { port, log } = await accounts();
    const sealedPin = await pendingPin(port, crypto.randomUUID());
    const account = {
      caller: newCaller(),
      creationKey: crypto.randomUUID(),
      name: "A",
      email: null,
      language: null,
      sealedPin,
    };
    expect(await port.createAccount(account)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(log).toHaveLength(1);
  });
});

describe("a PIN that is being chosen", () => {
  test.each([
    ["1234", "shape"],
    ["12345", "weak"],
  ])("%s is rejected: %s [PH-55]", async (pin, problem) => {
    const { port } = await accounts();
    const outcome = await valueOf(port.preparePin({ pin, phoneNumber: "+260971230001", effectKey: "e" }));
    expect(outcome).toEqual({ accepted: false, problem });
  });

  test("is confirmed only by an equal PIN for that action [PH-112]", async () => {
    const { port } = await accounts();
    const sealed = await pendingPin(port, "act-1");
    expect(sealed).not.toContain(PIN);
    expect(await valueOf(port.matchesPin({ pin: PIN, sealed, effectKey: "act-1" }))).toBe(true);
    expect(await valueOf(port.matchesPin({ pin: "98764", sealed, effectKey: "act-1" }))).toBe(false);
    expect(await valueOf(port.matchesPin({ pin: PIN, sealed, effectKey: "act-2" }))).toBe(false);
    expect(await valueOf(port.matchesPin({ pin: PIN, sealed: "nonsense", effectKey: "act-1" }))).toBe(false);
  });

  test("is changed once, revokes other logins, and the old one stops working [PH-62]", async () => {
    const { port } = await accounts();
    const caller = newCaller();
    const customerId = await newCustomer(port, caller);
    const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
    const other = granted(await valueOf(port.login({ caller: newCaller(), customerId, pin: PIN })));
    const present = { pin: PIN, phoneNumber: caller.phoneNumber, effectKey: "c", login };
    expect(await valueOf(port.preparePin(present))).toEqual({ accepted: false, problem: "same" });
    const stale = { ...present, login: { ...login, epoch: 99 } };
    expect(await valueOf(port.preparePin(stale))).toMatchObject({ accepted: true });

    const changeKey = crypto.randomUUID();
    const change = { caller, login, changeKey, sealedPin: await pendingPin(port, changeKey, "86420") };
    const renewed = await valueOf(port.changePin(change));
    expect(renewed).toEqual({ customerId, epoch: login.epoch + 1 });
    expect(await valueOf(port.changePin(change))).toEqual(renewed);
    expect((await events(customerId)).filter((event) => event === "PIN_CHANGED")).toHaveLength(1);

    expect(await valueOf(port.customer(other))).toBeNull();
    expect(
      await valueOf(
        port.changePin({ ...change, login: other, changeKey: "z", sealedPin: await pendingPin(port, "z") }),
      ),
    ).toBeNull();
    expect(await valueOf(port.login({ caller, customerId, pin: PIN }))).toMatchObject({ state: "refused" });
    expect(await valueOf(port.login({ caller, customerId, pin: "86420" }))).toMatchObject({ state: "accepted" });
  });
});

describe("the customer's identity", () => {
  test("signs invocations that the oracle's verifier accepts [PH-64]", async () => {
    const { port, clock } = await accounts();
    const caller = newCaller();
    const customerId = await newCustomer(port, caller);
    const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
    const token = (await valueOf(port.mintInvocation(login, ORACLE))) ?? "";
    const resolveKeys = createDidResolver({ fetch, clock: () => clock.now });
    const rules = { audiences: [ORACLE], maxTtl: 900 };
    const identity = await identifyInvoker(token, rules, resolveKeys, clock.now / 1_000);
    expect(identity).toMatchObject({ ok: true, value: { issuer: await column(customerId, "key_did") } });
    expect(await valueOf(port.mintInvocation(login, ORACLE))).not.toBe(token);
    expect(await valueOf(port.mintInvocation({ ...login, epoch: 99 }, ORACLE))).toBeNull();
  });

  test("is created at the first login if it is missing, once for concurrent logins [PH-64]", async () => {
    const { port } = await accounts();
    const caller = newCaller();
    const customerId = await newCustomer(port, caller);
    await env.DATABASE.prepare(
      "UPDATE customers SET key_did = NULL, key_sealed = NULL, key_sealed_by = NULL WHERE customer_id = ?",
    )
      .bind(customerId)
      .run();
    const outcomes = await Promise.all(
      Array.from({ length: 3 }, () => valueOf(port.login({ caller, customerId, pin: PIN }))),
    );
    const dids = outcomes.map((outcome) => (outcome.state === "accepted" ? outcome.customer.keyDid : outcome.state));
    expect(new Set(dids)).toEqual(new Set([await column(customerId, "key_did")]));
    expect(dids[0]).toMatch(/^did:key:z6Mk/);
  });
});

test("a language belongs to the phone and the customer, and only a live login changes it [PH-66]", async () => {
  const { port } = await accounts();
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
  const dial = { ...caller, serviceCode: "*2233#", visitKey: "v" };
  expect(await valueOf(port.setLanguage(caller, login, "sw"))).toBe(true);
  expect(await valueOf(port.customer(login))).toMatchObject({ language: "sw" });
  expect(await valueOf(port.dial(dial))).toMatchObject({ language: "sw" });
  expect(await valueOf(port.setLanguage(caller, { ...login, epoch: 99 }, "pt"))).toBe(false);
  expect(await valueOf(port.dial(dial))).toMatchObject({ language: "sw" });
  expect(await valueOf(port.customer(login))).toMatchObject({ language: "sw" });
  expect((await events(customerId)).filter((event) => event === "LANGUAGE_CHANGED")).toHaveLength(1);
});

test("questions are counted once each, up to the limit, for 24 hours [PH-48]", async () => {
  const { port, clock } = await testAccounts(env.DATABASE, { limits: { questionsPerDay: 2 } });
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
  const take = (job: string) => valueOf(port.takeQuestion(login, `${customerId}-${job}`));
  expect([await take("a"), await take("a"), await take("b"), await take("c"), await take("a")]).toEqual([
    "taken",
    "taken",
    "taken",
    "limit",
    "taken",
  ]);
  clock.now += 24 * HOUR;
  expect(await take("c")).toBe("taken");
  expect(await valueOf(port.takeQuestion({ ...login, epoch: 99 }, "x"))).toBeNull();
});

describe("a deployed Worker's accounts", () => {
  test("are opened once per environment", async () => {
    const { DATABASE, OUTBOX } = env;
    const configured = { DATABASE, OUTBOX, PIN_ENCRYPTION_KEY: "ab".repeat(32) };
    expect(await openAccounts(configured)).toBe(await openAccounts(configured));
    const opened = await openAccounts(configured);
    if (!opened.ok) throw new Error("refused");
    const { digests } = opened.value;
    expect(await digests.digest("1*2", digests.keyId)).toMatch(/^[\w-]{43}$/);
    expect(await digests.digest("1*2", "gone")).toBe("");
  });

  test("report every invalid variable [PH-93]", async () => {
    const { DATABASE, OUTBOX } = env;
    expect(await openAccounts({ DATABASE, OUTBOX })).toMatchObject({
      ok: false,
      error: [{ variable: "PIN_ENCRYPTION_KEY" }],
    });
  });

  test("a failing database is a failure value, and the log contains no secret [PH-13, PH-115]", async () => {
    const broken = { prepare: () => failing(), batch: () => failing() } as unknown as D1Database;
    const { port, log } = await testAccounts(broken);
    const attempt = { caller: newCaller(), customerId: "CNOTEXIST99", pin: PIN };
    expect(await port.login(attempt)).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(log.join()).toContain("D1 is down");
    expect(log.join()).not.toContain(PIN);
  });
});

function failing(): never {
  throw new Error("D1 is down");
}
