/**
 * The phone gateway with the dispatcher, called as telecom gateways and operators call it, over the environment's objects and
 * database. Each call of a phone has its own session.
 */
import { createDispatcher } from "../../../workers/dispatch.ts";
import { createLogger, type LogMembers } from "../../../platform/log.ts";
import { createPagesApp } from "../../../workers/pages/app.ts";
import { readPagesConfig } from "../../../workers/pages/config.ts";
import { createUssdApp } from "../../../workers/ussd/app.ts";
import type { OpenOracleUsers } from "../../../workers/ussd/people/open-people.ts";
import { newCaller } from "./accounts.ts";
import type { FlowPhone } from "./flow-run.ts";

const ORIGIN = "https://ussd.test";
const CODE = "*2233#";
export const OPERATOR_TOKEN = "operator-token-of-the-tests";

export const JSON_BODY = { "Content-Type": "application/json" };
export const OPERATOR = { Authorization: `Bearer ${OPERATOR_TOKEN}` };

/** A valid request: a dial with a new phone and session. */
export function goodRequest(more: object = {}) {
  const { phoneNumber, sessionId } = newCaller();
  return { sessionId, phoneNumber, serviceCode: CODE, text: "", ...more };
}

export interface UssdEdge {
  call(method: string, path: string, call?: { headers?: Record<string, string>; body?: string }): Promise<Response>;
  /** A request of a gateway, as JSON. */
  step(fields: Record<string, unknown>): Promise<Response>;
  phone(phoneNumber: string): FlowPhone & { readonly sessionId: string };
  readonly log: readonly string[];
  /** Resolves when no background work is left. */
  settled(): Promise<void>;
}

/** `variables`: added to those of the environment. */
export function createUssdEdge(env: object, variables: object = {}, openOracle?: OpenOracleUsers): UssdEdge {
  const log: string[] = [];
  const complete = { ...env, ENVIRONMENT: "development", USSD_RATE_LIMIT_PER_MINUTE: "100000", ...variables };
  const working: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => void working.push(work),
    passThroughOnException() {},
    props: {},
  };
  const ussd = createUssdApp(openOracle);
  const dispatch = createDispatcher({
    apps: { ussd, shared: createPagesApp({ surfaces: { ussd } }) },
    hosts: readPagesConfig,
    log: (members: LogMembers) => createLogger(members, (_, line) => log.push(line)),
  });

  async function call(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
  ) {
    const request = new Request(`${ORIGIN}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return dispatch(request, complete as unknown as Env, context as unknown as ExecutionContext);
  }

  function step(fields: Record<string, unknown>): Promise<Response> {
    const body = JSON.stringify({ serviceCode: CODE, ...fields });
    return call("POST", "/api/ussd", { headers: { "Content-Type": "application/json" }, body });
  }

  return {
    call,
    step,
    phone(phoneNumber) {
      let sessionId: string = crypto.randomUUID();
      return {
        phoneNumber,
        get sessionId() {
          return sessionId;
        },
        async send(text) {
          return (await step({ sessionId, phoneNumber, text })).text();
        },
        redial() {
          sessionId = crypto.randomUUID();
        },
      };
    },
    log,
    async settled() {
      while (working.length > 0) await Promise.allSettled(working.splice(0));
    },
  };
}
