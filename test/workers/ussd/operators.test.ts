/** Operators' commands on accounts, and the rotation of keys, over a real D1. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  MINUTE,
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

describe("operators", () => {
  test("reset a PIN: returned once, changed at the first login, expires, revokes live logins [PH-56, PH-63, PH-101]", async () => {
    const { port, operators, clock, log } = await accounts();
    const caller = newCaller();
    const customerId = await newCustomer(port, caller);
    const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
    const reset = await valueOf(operators.resetPin(customerId.toLowerCase()));
    expect(reset).toEqual({
      customerId,
      temporaryPin: expect.stringMatching(/^\d{5}$/),
      expiresAt: new Date(clock.now + 30 * MINUTE).toISOString(),
    });
    expect(await valueOf(port.customer(login))).toBeNull();
    expect(await valueOf(port.login({ caller, customerId, pin: PIN }))).toMatchObject({ state: "refused" });
    const outcome = await valueOf(port.login({ caller, customerId, pin: reset.temporaryPin }));
    expect(outcome).toMatchObject({ state: "accepted", mustChangePin: true });
    clock.now += 30 * MINUTE;
    expect(await valueOf(port.login({ caller, customerId, pin: reset.temporaryPin }))).toEqual({ state: "expired" });
    const sealedPin = await pendingPin(port, "change", "86420");
    await valueOf(port.changePin({ caller, login: granted(outcome), changeKey: "change", sealedPin }));
    const chosen = await valueOf(port.login({ caller, customerId, pin: "86420" }));
    expect(chosen).toMatchObject({ state: "accepted", mustChangePin: false });
    const written = JSON.stringify([await env.DATABASE.prepare("SELECT * FROM audit_log").all(), log]);
    expect(written).not.toContain(`"${reset.temporaryPin}"`);
  });

  test("link a DID that no other customer has [PH-64, PH-101]", async () => {
    const { port, operators } = await accounts();
    const caller = newCaller();
    const [one, other] = [await newCustomer(port, caller), await newCustomer(port, newCaller())];
    const did = `did:ixo:${crypto.randomUUID()}`;
    expect(await operators.linkDid(one, did)).toEqual({ ok: true, value: { customerId: one, did } });
    const login = granted(await valueOf(port.login({ caller, customerId: one, pin: PIN })));
    expect(await valueOf(port.customer(login))).toMatchObject({ linkedDid: did });
    expect(await operators.linkDid(other, did)).toMatchObject({ ok: false, error: { code: "conflict" } });
    const key = String(await column(one, "key_did"));
    expect(await operators.linkDid(other, key)).toMatchObject({ ok: false, error: { code: "conflict" } });
    expect(await operators.linkDid(one, key)).toMatchObject({ ok: true });
    expect(await operators.linkDid(one, null)).toEqual({ ok: true, value: { customerId: one, did: null } });
    expect(await operators.linkDid(other, did)).toMatchObject({ ok: true });
    expect(await operators.linkDid(one, "not a did")).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    expect((await events(one)).filter((event) => event === "DID_LINKED")).toHaveLength(3);
  });

  test("get not found for an unknown id, and leave no audit entry [PH-101, PH-104]", async () => {
    const { operators } = await accounts();
    const notFound = { ok: false, error: { code: "not_found" } };
    expect(await operators.unlock("CNOTEXIST99")).toMatchObject(notFound);
    expect(await operators.resetPin("CNOTEXIST99")).toMatchObject(notFound);
    expect(await operators.linkDid("CNOTEXIST99", null)).toMatchObject(notFound);
    expect(await events("CNOTEXIST99")).toEqual([]);
    const reads = () => count("audit_log WHERE event = 'OPS_READ'");
    const before = await reads();
    await valueOf(operators.reportRead("sessions"));
    expect(await reads()).toBe(before + 1);
  });
});

describe("rotation", () => {
  const after = { currentId: "k2", current: "cd".repeat(32), old: { k1: "ab".repeat(32) } };

  test("re-encrypts everything in batches; PINs and identities work without the old key [PH-102, PH-114]", async () => {
    const { port } = await accounts();
    const caller = newCaller();
    const customers: string[] = [];
    for (let index = 0; index < 55; index += 1) customers.push(await newCustomer(port, newCaller()));
    const rotating = await testAccounts(env.DATABASE, { keys: after });
    const first = await valueOf(rotating.operators.rotateKeys(0));
    expect(first).toMatchObject({ examined: 50, next: expect.any(Number) });
    for (let next = first.next; next !== null;) ({ next } = await valueOf(rotating.operators.rotateKeys(next)));
    expect(await valueOf(rotating.operators.rotateKeys(0))).toMatchObject({ resealed: 0, next: null });
    for (const customerId of customers) {
      expect([await column(customerId, "pin_key_id"), await column(customerId, "key_sealed_by")]).toEqual(["k2", "k2"]);
    }
    const without = await testAccounts(env.DATABASE, { keys: { ...after, old: {} } });
    const outcome = await valueOf(without.port.login({ caller, customerId: customers[7] ?? "", pin: PIN }));
    expect(await valueOf(without.port.mintInvocation(granted(outcome), ORACLE))).toEqual(expect.any(String));
  });

  test("a right PIN renews a record of an older key or another cost [PH-102]", async () => {
    const { port } = await accounts();
    const caller = newCaller();
    const customerId = await newCustomer(port, caller);
    const rotated = await testAccounts(env.DATABASE, { keys: after, iterations: 20 });
    expect(await valueOf(rotated.port.login({ caller, customerId, pin: "98764" }))).toMatchObject({ state: "refused" });
    expect(await column(customerId, "pin_key_id")).toBe("k1");
    granted(await valueOf(rotated.port.login({ caller, customerId, pin: PIN })));
    expect(await column(customerId, "pin_key_id")).toBe("k2");
    granted(await valueOf(rotated.port.login({ caller, customerId, pin: PIN })));
  });

  test("a record that no key opens is counted and left unchanged [PH-102]", async () => {
    const { port } = await accounts();
    const customerId = await newCustomer(port, newCaller());
    const otherKeys = await testAccounts(env.DATABASE, { keys: { currentId: "k9", current: "ef".repeat(32) } });
    const before = await column(customerId, "pin_sealed");
    let unreadable = 0;
    for (let next: number | null = 0; next !== null;) {
      const report: { unreadable: number; next: number | null } = await valueOf(otherKeys.operators.rotateKeys(next));
      unreadable += report.unreadable;
      next = report.next;
    }
    expect(unreadable).toBeGreaterThanOrEqual(2);
    expect(await column(customerId, "pin_sealed")).toBe(before);
  });
});
