/** The people of the test environment: real objects, the real oracle, and the keys of `testAccounts`. Runs in workerd. */
import { env } from "cloudflare:workers";
import type { Database } from "../../../platform/database/database.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { createLogger } from "../../../platform/log.ts";
import type { OracleUsers } from "../../../platform/ports.ts";
import { userPreferences } from "../../../oracle/plugins/user-preferences/plugin.ts";
import { createOracleSurface } from "../../../workers/oracle/oracle-surface.ts";
import { openPeople } from "../../../workers/ussd/people/open-people.ts";
import type { PeopleSettings } from "../../../workers/ussd/people/people-settings.ts";
import { signer } from "../auth/ucan.ts";
import { granted, newCaller, newCustomer, PIN, testAccounts, valueOf } from "./accounts.ts";
import { createUssdEdge, JSON_BODY, OPERATOR, OPERATOR_TOKEN, type UssdEdge } from "./edge.ts";

const oracle = createOracleSurface({ config: { name: "Test oracle" }, plugins: [userPreferences] });

export function oracleUsers(): Promise<OracleUsers | undefined> {
  return oracle.users(env, () => undefined);
}

/** `openOracle` replaces the real oracle. */
export function peopleEdge(openOracle = oracleUsers): UssdEdge {
  return createUssdEdge(env, { USSD_OPERATOR_TOKEN: OPERATOR_TOKEN }, openOracle);
}

export async function peopleSettings(clock: () => number = Date.now): Promise<PeopleSettings> {
  const opened = await openPeople(env, oracleUsers, () => undefined);
  if (!opened.ok) throw new Error("the gateway is misconfigured");
  return { ...opened.value, clock, log: createLogger({}, () => undefined) };
}

/** A customer who has logged in, who calls now, and for whom the oracle stores a preference and a value. */
export interface Furnished {
  readonly customerId: string;
  readonly name: string;
  readonly phoneNumber: string;
  readonly keyDid: string;
  /** The name of the object of the live call. */
  readonly call: string;
}

export async function furnishCustomer(edge: UssdEdge): Promise<Furnished> {
  // No other customer has it.
  const name = `Mary ${crypto.randomUUID().replaceAll(/\d|-/g, "").slice(0, 8)} Banda`;
  const database: Database = databaseOf(env);
  const { port } = await testAccounts(database, { clock: { now: Date.now() } });
  const caller = newCaller();
  const { phoneNumber } = caller;
  const customerId = await newCustomer(port, caller, name);
  granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
  const row = database.prepare("SELECT key_did FROM customers WHERE customer_id = ?").bind(customerId);
  const keyDid = String(await row.first("key_did"));
  await database
    .prepare("INSERT INTO user_preferences (user_did, oracle_did, preferences, updated_at) VALUES (?1, ?2, '{}', ?3)")
    .bind(keyDid, (await signer(7)).did(), new Date().toISOString())
    .run();
  await env.USER_VAULT.getByName(keyDid).addPluginValue("test", "value", '"of the customer"');
  await database
    .prepare("INSERT INTO ussd_questions (job_id, customer_id, asked_at) VALUES (?1, ?2, ?3)")
    .bind(crypto.randomUUID(), customerId, Date.now())
    .run();
  const phone = edge.phone(phoneNumber);
  await phone.send("");
  await edge.settled();
  return { customerId, name, phoneNumber, keyDid, call: phone.sessionId };
}

export async function askPeople(edge: UssdEdge, path: string, body: object): Promise<Response> {
  const headers = { ...JSON_BODY, ...OPERATOR };
  return edge.call("POST", `/api/ussd/ops/people/${path}`, { headers, body: JSON.stringify(body) });
}

/** Every place of the database that contains a text of the customer, by table. */
export async function tablesWith(database: Database, texts: readonly string[]): Promise<readonly string[]> {
  const { results } = await database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
         AND name NOT GLOB 'domain_search*' AND name <> 'd1_migrations' ORDER BY name`,
    )
    .all<{ name: string }>();
  const found: string[] = [];
  for (const { name } of results) {
    const rows = JSON.stringify((await database.prepare(`SELECT * FROM "${name}"`).all()).results);
    if (texts.some((text) => rows.includes(text))) found.push(name);
  }
  return found;
}
