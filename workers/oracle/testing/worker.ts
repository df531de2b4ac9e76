/**
 * The Worker of tests, `main` of their pool: the deployed objects, except that a chat session belongs to the oracle of
 * the test that opened it. Tests call the oracle itself, so this Worker answers no requests.
 */
import { defineChatSession } from "../../../durable-objects/chat-session.ts";
import type { ObjectClass } from "../../create-oracle-app.ts";
import { oracleOf, type OracleUnderTest } from "./oracles-under-test.ts";

export { CreditLedger } from "../../../durable-objects/credit-ledger.ts";
export { UserVault } from "../../../durable-objects/user-vault.ts";

/** Each oracle has its own environment, which identifies it. */
const oracleByEnv = new WeakMap<Env, OracleUnderTest>();

function oracleIn(env: Env): OracleUnderTest {
  const oracle = oracleByEnv.get(env);
  if (oracle === undefined) throw new Error("this session was opened by no test that still runs");
  return oracle;
}

/** Annotated with its type, so that the package's declarations disclose nothing internal. */
const SessionOfTest: ObjectClass = defineChatSession({
  settings: async (env) => oracleIn(env).sessionSettings(env),
  channel: (env) => oracleIn(env).channelSettings(env),
});

export class ChatSession extends SessionOfTest {
  constructor(state: DurableObjectState, env: Env) {
    const oracle = oracleOf(state.id);
    if (oracle !== undefined) oracleByEnv.set(oracle.env, oracle);
    super(state, oracle?.env ?? env);
  }
}

export default {
  fetch: () => new Response("Call testOracle() in a test", { status: 404 }),
} satisfies ExportedHandler<Env>;
