/** A caller of the phone gateway in Node: dials, types, logs in as a customer, waits while the clock advances. */
import { newCustomer } from "./accounts.ts";
import { PHONE, type UssdGateway } from "./sessions.ts";

export const INVALID = { kind: "END", body: "Invalid input. Please try again." };
export const UNAVAILABLE = { kind: "END", body: "Service temporarily unavailable. Please try again later." };

/** A phone that sends all inputs so far. */
export function phone(gateway: UssdGateway, sessionId = "s1", phoneNumber = PHONE) {
  let text = "";
  return {
    async dial() {
      text = "";
      return gateway.post({ sessionId, phoneNumber, text });
    },
    async type(...inputs: readonly string[]) {
      let reply = { kind: "CON", body: "" };
      for (const input of inputs) {
        text = text === "" ? input : `${text}*${input}`;
        reply = await gateway.post({ sessionId, phoneNumber, text });
      }
      return reply;
    },
    get text() {
      return text;
    },
  };
}

export async function customerIn(gateway: UssdGateway, name = "John Doe"): Promise<string> {
  return newCustomer(gateway.accounts.port, { phoneNumber: PHONE, sessionId: "before" }, name);
}

/** A logged-in caller, on the first screen. */
export async function loggedIn(gateway: UssdGateway, sessionId = "s1") {
  const customerId = await customerIn(gateway);
  const caller = phone(gateway, sessionId);
  await caller.dial();
  await caller.type("2", "1", customerId, "43219", "1");
  return { caller, customerId };
}

/** Lets the budget run out while a request waits for others; while the gateway itself works, the clock is stopped. */
export async function pastBudget<Value>(
  gateway: UssdGateway,
  milliseconds: number,
  answering: Promise<Value>,
): Promise<Value> {
  const waiting = { isDone: false };
  void answering.finally(() => {
    waiting.isDone = true;
  });
  while (!waiting.isDone) {
    for (let idle = 0; idle < 5; idle = gateway.isAtWork ? 0 : idle + 1) {
      await new Promise((done) => void setImmediate(done));
    }
    if (!waiting.isDone) gateway.clock.advance(milliseconds);
  }
  return answering;
}
