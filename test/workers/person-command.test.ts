/** `npm run person` against the real routes: an erasure, the list, and the list applied after a restore. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";
import type { PersonProcess } from "../../scripts/person/operator-client.ts";
import { exitCodes, runPerson } from "../../scripts/person/run-person.ts";
import { continueErasures } from "../../workers/ussd/people/erase-person.ts";
import { createEdge } from "../support/oracle/oracle-edge.ts";
import { OPERATOR_TOKEN } from "../support/ussd/edge.ts";
import { furnishCustomer, peopleEdge, peopleSettings, tablesWith } from "../support/ussd/people.ts";

const ADMIN_TOKEN = "operator-token-of-32-characters!";
const url = "https://edge.test";

async function setUp() {
  const ussd = peopleEdge();
  const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS } = env;
  const bindings = { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, LLM_PROVIDER: "local", ADMIN_TOKEN };
  const oracle = await createEdge(bindings, { plugins: [userPreferences] });
  const printed: string[] = [];
  const noted: string[] = [];
  const files = new Map<string, string>();
  const process: PersonProcess = {
    environment: { ADMIN_TOKEN, USSD_OPERATOR_TOKEN: OPERATOR_TOKEN },
    localVariables: () => new Map(),
    standardInput: async () => "",
    readFile: async (path) => files.get(path) ?? Promise.reject(new Error("no file")),
    print: (line) => printed.push(line),
    note: (line) => noted.push(line),
    wait: async () => undefined,
    fetch: async (target, { method = "GET", headers, body } = {}) => {
      const path = String(target).slice(url.length);
      const call = { headers: Object.fromEntries(new Headers(headers)), ...(typeof body === "string" ? { body } : {}) };
      return path.startsWith("/api/ussd") ? ussd.call(method, path, call) : oracle.call(method, path, call);
    },
  };
  return { ussd, oracle, process, files, printed, noted };
}

test("erases, lists, and erases again after a restore [ALL-81, ALL-82]", async () => {
  const { ussd, oracle, process, files, printed, noted } = await setUp();
  const customer = await furnishCustomer(ussd);
  const did = `did:slack:T1:${crypto.randomUUID()}`;
  const preference = () =>
    env.DATABASE.prepare(
      "INSERT INTO user_preferences (user_did, oracle_did, preferences, updated_at) VALUES (?1, ?2, '{}', '2026-01-01T00:00:00Z')",
    )
      .bind(did, oracle.oracleDid)
      .run();
  await preference();
  const account = await env.DATABASE.prepare("SELECT * FROM customers WHERE customer_id = ?")
    .bind(customer.customerId)
    .first();
  files.set("customer", customer.phoneNumber).set("user", did);
  for (const file of ["customer", "user"])
    expect(await runPerson({ url, task: { kind: "erase", file } }, process)).toBe(exitCodes.done);
  expect(printed.join("\n")).toContain('"state": "erased"');
  expect(await tablesWith(env.DATABASE, [customer.name, customer.customerId, customer.phoneNumber, did])).toEqual([]);

  printed.length = 0;
  expect(await runPerson({ url, task: { kind: "list-erased" } }, process)).toBe(exitCodes.done);
  const list = printed.join("\n");
  // The customer, the DID of the key of the account, and the user.
  expect(printed).toHaveLength(3);
  expect(list).not.toContain(did);
  files.set("list", list);

  await env.DATABASE.exec("DELETE FROM phone_erasures");
  await env.DATABASE.exec("DELETE FROM erasures");
  await preference();
  const columns = Object.keys(account ?? {});
  await env.DATABASE.prepare(
    `INSERT INTO customers (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  )
    .bind(...Object.values(account ?? {}))
    .run();
  printed.length = 0;
  const apply = { kind: "apply", file: "list", restored: undefined } as const;
  expect(await runPerson({ url, task: apply }, process)).toBe(exitCodes.done);
  expect(printed.join("\n")).toMatch(/oracle: .*, 1 are erased again\nphone: .*, 1 are erased again/);
  await oracle.schedule();
  await continueErasures(await peopleSettings(() => Date.now() + 60_000));
  expect(await tablesWith(env.DATABASE, [customer.name, customer.customerId, did])).toEqual([]);
  expect(noted).toEqual([]);
});
