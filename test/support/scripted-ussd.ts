/**
 * What `ScriptedUssdSession` is made of: the deployed settings over the real registry in D1 and an oracle that a test writes to, with a
 * cheap hash for PINs. Tests and objects share one isolate, so a test sets them before it calls.
 */
import type { UssdSettings } from "../../durable-objects/ussd-session/settings.ts";
import { createLogger } from "../../workers/platform/log.ts";
import { createDomainDirectory } from "../../workers/registry/port.ts";
import { openSessionSettings } from "../../workers/ussd/session-settings.ts";
import { createStandInOracle } from "./stand-in-oracle.ts";
import { testAccounts } from "./ussd-accounts.ts";

export const ussdStandIns = {
  oracle: createStandInOracle(),
  /** Variables beside those of the environment. */
  variables: {},
  /** True: whatever asks the accounts' database fails. */
  isDatabaseDown: false,
};

const accountsClock = {
  get now() {
    return Date.now();
  },
  set now(_: number) {
    throw new Error("the clock is the platform's");
  },
};

export async function scriptedUssdSettings(env: Env): Promise<UssdSettings | undefined> {
  const { oracle, variables } = ussdStandIns;
  const settings = await openSessionSettings(
    { ...env, ...variables },
    {
      domains: createDomainDirectory({ database: env.DATABASE, clock: Date.now, log: createLogger({}) }),
      oracle: { desk: oracle.desk, audience: "did:web:oracle.example" },
    },
  );
  if (settings === undefined) return undefined;
  const database = new Proxy(env.DATABASE, {
    get(target, name) {
      if (ussdStandIns.isDatabaseDown) throw new Error("the database is down");
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const { port, digests } = await testAccounts(database, { clock: accountsClock });
  return { ...settings, accounts: port, digests };
}
