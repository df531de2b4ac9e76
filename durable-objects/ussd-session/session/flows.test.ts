/**
 * All flows of test/support/ussd/flows.ts: unchanged, and with every request three times and the object's memory lost
 * between any two. Replies are equal, and no effect happens twice.
 */
import { expect, test } from "vitest";
import { countRows, newCustomer } from "../../../test/support/ussd/accounts.ts";
import { runFlow, type FlowRun } from "../../../test/support/ussd/flow-run.ts";
import { ANSWER, DOMAIN_DIGITS, FLOWS, type Flow } from "../../../test/support/ussd/flows.ts";
import { createUssdGateway, PHONE, type UssdGateway } from "../../../test/support/ussd/sessions.ts";
import { domainEnding } from "../../../test/support/registry/slowed-domains.ts";

async function gatewayFor(flow: Flow) {
  const gateway = await createUssdGateway();
  gateway.oracle.answers = { state: "answered", text: ANSWER };
  if (flow.customer === undefined) return { gateway, customerId: "" };
  const customerId = await newCustomer(gateway.accounts.port, { phoneNumber: PHONE, sessionId: "before" });
  const row = await gateway.database.prepare("SELECT key_did FROM customers").first<{ key_did: string }>();
  await gateway.domains.replace(domainEnding(DOMAIN_DIGITS, [row?.key_did ?? ""]), domainEnding("abc124"));
  return { gateway, customerId };
}

function phoneOf(gateway: UssdGateway, mode?: "latest") {
  let sessionId = "call-1";
  return {
    phoneNumber: PHONE,
    async send(text: string) {
      const { kind, body } = await gateway.post({ sessionId, text, ...(mode === undefined ? {} : { mode }) });
      await gateway.settled();
      return `${kind} ${body}`;
    },
    redial() {
      sessionId = `${sessionId}+`;
    },
  };
}

async function facts({ database, oracle }: UssdGateway) {
  return {
    customers: await countRows(database, "customers"),
    questions: oracle.asked.length,
    visits: await database.prepare("SELECT sum(visits) AS visits FROM phones").first("visits"),
    pinChanges: await countRows(database, "audit_log WHERE event = 'PIN_CHANGED'"),
    failures: await countRows(database, "audit_log WHERE event = 'LOGIN_FAILED'"),
    sessions: await countRows(database, "ussd_sessions"),
  };
}

async function play(flow: Flow, follow?: (gateway: UssdGateway) => FlowRun["afterStep"]) {
  const { gateway, customerId } = await gatewayFor(flow);
  const afterStep = follow?.(gateway);
  const run = afterStep === undefined ? { customerId } : { customerId, afterStep };
  const faults = await runFlow(flow, phoneOf(gateway), run);
  return { faults, facts: await facts(gateway), log: gateway.log };
}

test.each(FLOWS)(
  "$name; and with each request three times and the object evicted between any two [PH-25, PH-36, PH-76]",
  async (flow) => {
    const once = await play(flow);
    expect(once.faults).toEqual([]);
    expect(once.log).toEqual([]);
    let call = "call-1";
    let last = "";
    const again = await play(flow, (gateway) => async (text, reply) => {
      if (text === "" && last !== "") call = `${call}+`;
      last = text === "" ? "dialled" : text;
      for (let copy = 0; copy < 2; copy += 1) {
        gateway.restart();
        const { kind, body } = await gateway.post({ sessionId: call, text });
        expect(`${kind} ${body}`).toBe(reply);
      }
    });
    expect(again.faults).toEqual([]);
    expect(again.facts).toEqual(once.facts);
  },
);

test.each(FLOWS)(
  "$name, from a gateway that sends only the latest input [PH-29, PH-42, PH-43, PH-51]",
  async (flow) => {
    const { gateway, customerId } = await gatewayFor(flow);
    const phone = phoneOf(gateway, "latest");
    let before = "";
    const latest = {
      ...phone,
      async send(text: string) {
        // A phone takes seconds; one key twice at once would be a repeated request.
        gateway.clock.advance(3_000);
        const input = before === "" || text === "" ? text : text.slice(before.length + 1);
        before = text;
        return phone.send(input);
      },
    };
    expect(await runFlow(flow, latest, { customerId })).toEqual([]);
  },
);
