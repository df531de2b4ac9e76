/** Copies and erasures of phone customers by operators, over HTTP, D1, real call objects and the real oracle. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../platform/json.ts";
import { continueErasures, erasePerson } from "../../../workers/ussd/people/erase-person.ts";
import { findPerson } from "../../../workers/ussd/people/person.ts";
import type { PeopleSettings } from "../../../workers/ussd/people/people-settings.ts";
import { countRows, newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../support/ussd/accounts.ts";
import { OPERATOR } from "../../support/ussd/edge.ts";
import {
  askPeople,
  furnishCustomer,
  oracleUsers,
  peopleEdge,
  peopleSettings,
  tablesWith,
  type Furnished,
} from "../../support/ussd/people.ts";
import { dyingDatabase } from "../../support/storage/dying-database.ts";
import { ussdStandIns } from "../../support/ussd/scripted-session.ts";

const edge = peopleEdge();
const MINUTE = 60_000;

function smsTo(phoneNumber: string) {
  const body = JSON.stringify({ to: phoneNumber, text: "Your Customer ID" });
  return env.OUTBOX.getByName("sms").enqueue([{ id: crypto.randomUUID(), topic: "info", body, ordered: false }]);
}

/** The texts that name the customer. */
function namesOf({ customerId, name, phoneNumber, keyDid }: Furnished): readonly string[] {
  return [customerId, name, phoneNumber, keyDid];
}

function tablesOfCall(name: string): Promise<number> {
  const stub = (env.USSD_SESSION as unknown as DurableObjectNamespace).getByName(name);
  return runInDurableObject(
    stub,
    (_object, { storage: { sql } }) => sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'session'").toArray().length,
  );
}

describe("an erasure", () => {
  test("leaves nothing that names the customer, and its receipt says what is kept [PH-151]", async () => {
    const customer = await furnishCustomer(edge);
    await smsTo(customer.phoneNumber);
    const kept = await furnishCustomer(edge);
    expect(await tablesWith(env.DATABASE, namesOf(customer))).toEqual(
      expect.arrayContaining(["audit_log", "customers", "phones", "user_preferences", "ussd_questions"]),
    );
    const events = await countRows(env.DATABASE, "audit_log");
    const response = await askPeople(edge, "erase", { customerId: customer.customerId.toLowerCase() });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      state: "erased",
      erased: expect.arrayContaining([expect.stringContaining("name, e-mail")]),
      kept: expect.arrayContaining([
        { what: expect.stringContaining("without the customer"), why: expect.any(String) },
      ]),
    });
    expect(await tablesWith(env.DATABASE, namesOf(customer))).toEqual([]);
    expect(await countRows(env.DATABASE, "ussd_sessions WHERE session_id = ?", customer.call)).toBe(0);
    expect(await tablesOfCall(customer.call)).toBe(0);
    expect(await env.OUTBOX.getByName("sms").messagesTo(customer.phoneNumber)).toEqual([]);
    expect(await env.USER_VAULT.getByName(customer.keyDid).addPluginValue("test", "value", "1")).toMatchObject({
      value: true,
    });
    // The events stay, with one for the erasure, and another customer is untouched.
    expect(await countRows(env.DATABASE, "audit_log")).toBe(events + 1);
    expect(await countRows(env.DATABASE, "customers WHERE customer_id = ?", kept.customerId)).toBe(1);
    expect(await tablesOfCall(kept.call)).toBe(1);
    expect((await askPeople(edge, "erase", { customerId: customer.customerId })).status).toBe(404);
  });

  test("by a number: of its only account, of the number alone, and not of several accounts [PH-150]", async () => {
    const customer = await furnishCustomer(edge);
    expect((await askPeople(edge, "erase", { phoneNumber: customer.phoneNumber })).status).toBe(200);
    expect(await tablesWith(env.DATABASE, namesOf(customer))).toEqual([]);
    const { phoneNumber } = newCaller();
    await edge.phone(phoneNumber).send("");
    await edge.settled();
    expect(await tablesWith(env.DATABASE, [phoneNumber])).toEqual(["phones"]);
    expect((await askPeople(edge, "erase", { phoneNumber })).status).toBe(200);
    expect(await tablesWith(env.DATABASE, [phoneNumber])).toEqual([]);
    const { port } = await testAccounts(env.DATABASE);
    const shared = newCaller();
    const ids = [await newCustomer(port, shared), await newCustomer(port, shared)];
    const refused = await askPeople(edge, "erase", { phoneNumber: shared.phoneNumber });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain(ids.join(", "));
    // A number that another account has stays.
    expect((await askPeople(edge, "erase", { customerId: ids[0] })).status).toBe(200);
    expect(await tablesWith(env.DATABASE, [shared.phoneNumber])).toEqual(["phones"]);
    expect((await askPeople(edge, "erase", { customerId: ids[1] })).status).toBe(200);
    expect(await tablesWith(env.DATABASE, [shared.phoneNumber])).toEqual([]);
  });

  test("closes the account at once, and completes when the oracle is back [PH-152]", async () => {
    const customer = await furnishCustomer(edge);
    const away = peopleEdge(() => Promise.resolve(undefined));
    const response = await askPeople(away, "erase", { customerId: customer.customerId });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ state: "pending", requestedAt: expect.any(String) });
    const { port } = await testAccounts(env.DATABASE);
    const caller = { phoneNumber: customer.phoneNumber, sessionId: crypto.randomUUID() };
    const login = await valueOf(port.login({ caller, customerId: customer.customerId, pin: PIN }));
    expect(login.state).toBe("refused");
    expect(await tablesWith(env.DATABASE, [customer.name])).toEqual([]);
    await continueErasures(await peopleSettings());
    expect(await countRows(env.DATABASE, "customers WHERE customer_id = ?", customer.customerId)).toBe(1);
    await continueErasures(await peopleSettings(() => Date.now() + MINUTE));
    expect(await tablesWith(env.DATABASE, namesOf(customer))).toEqual([]);
  });

  test("survives a kill at each of its steps [PH-152]", async () => {
    for (let steps = 0, ended = false; !ended; steps += 1) {
      const customer = await furnishCustomer(edge);
      const settings = await peopleSettings();
      const dying = dyingDatabase(env.DATABASE, steps);
      const killed: PeopleSettings = {
        ...settings,
        database: dying.database,
        session(name) {
          dying.step();
          return settings.session(name);
        },
        sms() {
          dying.step();
          return settings.sms();
        },
        async oracle() {
          dying.step();
          return oracleUsers();
        },
      };
      await valueOf(findPerson(killed, { customerId: customer.customerId }))
        .then((person) => erasePerson(killed, person))
        .catch(() => undefined);
      ended = !dying.dead();
      const isNoted = (await countRows(env.DATABASE, "phone_erasures WHERE person IS NOT NULL")) > 0;
      const isStored = (await countRows(env.DATABASE, "customers WHERE customer_id = ?", customer.customerId)) > 0;
      // Complete, or noted, or never begun.
      if (isStored && !isNoted) expect(await tablesWith(env.DATABASE, [customer.name])).toEqual(["customers"]);
      await continueErasures(await peopleSettings(() => Date.now() + 5 * MINUTE));
      expect(await countRows(env.DATABASE, "phone_erasures WHERE person IS NOT NULL")).toBe(0);
      if (isNoted || ended || !isStored) expect(await tablesWith(env.DATABASE, namesOf(customer))).toEqual([]);
      expect(steps).toBeLessThan(60);
    }
  });

  test("needs the operator's token, and a valid name of a person [PH-150]", async () => {
    const path = "/api/ussd/ops/people/erase";
    expect((await edge.call("POST", path, { body: "{}" })).status).toBe(401);
    for (const body of [{}, { phoneNumber: "260" }, { customerId: "C1", phoneNumber: "+260971230001" }])
      expect((await askPeople(edge, "erase", body)).status).toBe(400);
    expect((await askPeople(edge, "erase", { customerId: "CNOTEXIST99" })).status).toBe(404);
  });
});

describe("a copy", () => {
  test("has the account, phones, calls, events, SMS and the oracle's data, without secrets [PH-153]", async () => {
    const customer = await furnishCustomer(edge);
    await smsTo(customer.phoneNumber);
    const response = await askPeople(edge, "export", { customerId: customer.customerId });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
    const text = await response.text();
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
    const kinds = new Set(lines.map(({ kind }) => String(kind)));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        "person",
        "account",
        "question",
        "phone",
        "call",
        "event",
        "sms",
        "user",
        "plugin",
        "end",
      ]),
    );
    expect(lines.find(({ kind }) => kind === "account")).toMatchObject({
      name: customer.name,
      keyDid: customer.keyDid,
    });
    expect(lines.at(-1)).toEqual({ kind: "end" });
    const row = env.DATABASE.prepare("SELECT pin_sealed, key_sealed FROM customers WHERE customer_id = ?");
    const secrets = await row.bind(customer.customerId).first<Record<string, string>>();
    for (const secret of Object.values(secrets ?? {})) expect(text).not.toContain(secret);
    expect(
      await countRows(env.DATABASE, "audit_log WHERE event = 'OPS_READ' AND customer_id = ?", customer.customerId),
    ).toBe(1);
  });
});

test("the audit log names the person of a copy and of an erasure as the list of erased people does [ALL-53]", async () => {
  const customer = await furnishCustomer(edge);
  await (await askPeople(edge, "export", { customerId: customer.customerId })).text();
  await askPeople(edge, "erase", { phoneNumber: customer.phoneNumber });
  await edge.settled();
  const acts = env.DATABASE.prepare(
    "SELECT operation, subject FROM audit_rows WHERE phase = 'done' ORDER BY seq DESC LIMIT 2",
  );
  const listed = env.DATABASE.prepare("SELECT subject FROM phone_erasures ORDER BY requested_at DESC LIMIT 1");
  const subject = await listed.first("subject");
  expect((await acts.all()).results).toEqual([
    { operation: "erasePerson", subject },
    { operation: "exportPerson", subject },
  ]);
});

describe("the list of erased people", () => {
  async function pages(): Promise<readonly JsonObject[]> {
    const entries: JsonObject[] = [];
    for (let after: string | null = ""; after !== null;) {
      const response = await edge.call("GET", `/api/ussd/ops/people/erased?after=${after}`, { headers: OPERATOR });
      const page: { erased: JsonObject[]; next: string | null } = await response.json();
      entries.push(...page.erased);
      after = page.next;
    }
    return entries;
  }

  async function reapply(): Promise<number> {
    let total = 0;
    for (let after: string | null = ""; after !== null;) {
      const response = await askPeople(edge, "reapply", { after });
      const page: { found: number; next: string | null } = await response.json();
      total += page.found;
      after = page.next;
    }
    return total;
  }

  test("erases restored people again, and no one who came later [PH-154, PH-155]", async () => {
    const customer = await furnishCustomer(edge);
    const { phoneNumber } = newCaller();
    await edge.phone(phoneNumber).send("");
    const tables = ["phones", "customers", "customer_phones", "login_phones", "audit_log"];
    const backup = await Promise.all(
      tables.map(async (name) => [name, (await env.DATABASE.prepare(`SELECT * FROM ${name}`).all()).results] as const),
    );
    expect((await askPeople(edge, "erase", { customerId: customer.customerId })).status).toBe(200);
    expect((await askPeople(edge, "erase", { phoneNumber })).status).toBe(200);
    const list = await pages();
    expect(JSON.stringify(list)).not.toContain(customer.customerId);
    expect(JSON.stringify(list)).not.toContain(phoneNumber.slice(1));

    // The restore: the rows of before, and a table of erasures that does not know of them.
    await env.DATABASE.exec("DELETE FROM phone_erasures");
    for (const [name, rows] of backup)
      for (const row of rows) {
        const columns = Object.keys(row);
        const marks = columns.map(() => "?").join(", ");
        await env.DATABASE.prepare(`INSERT OR IGNORE INTO ${name} (${columns.join(", ")}) VALUES (${marks})`)
          .bind(...Object.values(row))
          .run();
      }
    expect(await tablesWith(env.DATABASE, namesOf(customer))).toContain("customers");
    const later = await furnishCustomer(edge);

    const added = await askPeople(edge, "erased/add", { erased: list });
    expect(await added.json()).toEqual({ unknownKeys: [] });
    expect(await reapply()).toBe(2);
    await continueErasures(await peopleSettings(() => Date.now() + MINUTE));
    expect(await tablesWith(env.DATABASE, [...namesOf(customer), phoneNumber])).toEqual([]);
    expect(await countRows(env.DATABASE, "customers WHERE customer_id = ?", later.customerId)).toBe(1);
    expect(await reapply()).toBe(0);
  });

  test("names keys that are missing, and refuses what is no list [PH-154]", async () => {
    const entry = { subject: "a".repeat(43), keyId: "k0", kind: "customer", erasedAt: 1 };
    expect(await (await askPeople(edge, "erased/add", { erased: [entry] })).json()).toEqual({ unknownKeys: ["k0"] });
    expect((await askPeople(edge, "erased/add", { erased: Array.from({ length: 201 }, () => entry) })).status).toBe(
      400,
    );
    expect((await askPeople(edge, "erased/add", { erased: [{ ...entry, subject: "x" }] })).status).toBe(400);
  });
});

test("a call of a person who is logged in on another's phone is erased, and the other's calls stay [PH-151]", async () => {
  expect(ussdStandIns.isDatabaseDown).toBe(false);
  const friend = newCaller();
  const friends = edge.phone(friend.phoneNumber);
  await friends.send("");
  await edge.settled();
  const customer = await furnishCustomer(edge);
  const { port } = await testAccounts(env.DATABASE, { clock: { now: Date.now() } });
  await valueOf(port.login({ caller: friend, customerId: customer.customerId, pin: PIN }));
  expect((await askPeople(edge, "erase", { customerId: customer.customerId })).status).toBe(200);
  // The friend's call is not about the customer.
  expect(await tablesOfCall(friends.sessionId)).toBe(1);
  expect(await tablesWith(env.DATABASE, [friend.phoneNumber])).toEqual(["phones"]);
});
