/**
 * The settings of `ScriptedUssdSession`: the deployed ones over the real registry in D1 and the real oracle, with a cheap hash for
 * PINs. Tests and objects share one isolate, so a test sets them before it calls an object.
 */
import type { UssdSettings } from "../../../durable-objects/ussd-session/settings.ts";
import { createLogger } from "../../../platform/log.ts";
import type { OracleAnswer } from "../../../platform/ports.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { openSessionSettings } from "../../../workers/ussd/deployment.ts";
import { chatModels, chatSettings } from "../oracle/chat-settings.ts";
import { scriptedOracle } from "../oracle/scripted-oracle.ts";
import { createSlowedOracle } from "../oracle/slowed-oracle.ts";
import { testAccounts } from "./accounts.ts";

export const ussdStandIns = {
  oracle: createSlowedOracle(),
  /** Variables added to those of the environment. */
  variables: {},
  /** True: every query of the accounts' database fails. */
  isDatabaseDown: false,
};

/** `ScriptedChatSession` serves other tests too, with the model that the last of them set. */
export function scriptPhoneOracle(answers: OracleAnswer): void {
  scriptedOracle.settings = chatSettings({ models: chatModels(ussdStandIns.oracle.model) });
  ussdStandIns.oracle.answers = answers;
}

const accountsClock = {
  get now() {
    return Date.now();
  },
  set now(_: number) {
    throw new Error("the clock is the platform's");
  },
};

/** The bindings of test/workers/worker.ts, including the session of `scripted-oracle.ts`. */
type ScriptedEnv = Env & { readonly SCRIPTED_CHAT_SESSION?: Env["CHAT_SESSION"] };

export async function scriptedUssdSettings(env: ScriptedEnv): Promise<UssdSettings | undefined> {
  const { oracle, variables } = ussdStandIns;
  const settings = await openSessionSettings(
    { ...env, ...variables },
    {
      domains: createDomainDirectory({ database: env.DATABASE, clock: Date.now, log: createLogger({}) }),
      oracle: await oracle.open({ ...env, CHAT_SESSION: env.SCRIPTED_CHAT_SESSION }),
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
