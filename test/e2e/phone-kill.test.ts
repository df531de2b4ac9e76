/**
 * The process is killed between a request of a phone and its reply, and restarted over its storage; the gateway sends the request
 * again. In the end, there is one account.
 */
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const CODE = "*2233#";

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  // A second account of a phone would be refused, so a second creation under another key would be visible.
  server = started(
    await startRunningServer({
      USSD_MAX_ACCOUNTS_PER_PHONE: "1",
      USSD_RATE_LIMIT_PER_MINUTE: "100000",
      // A busy machine may take longer than gateways should wait.
      USSD_REPLY_BUDGET_MS: "9000",
    }),
  );
});

interface Phone {
  send(text: string): Promise<string>;
  readonly sessionId: string;
}

function newPhone(phoneNumber: string): Phone {
  const sessionId = crypto.randomUUID();
  return {
    sessionId,
    async send(text) {
      const response = await fetch(`${server.url}/api/ussd`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ sessionId, phoneNumber, serviceCode: CODE, text }),
      });
      return response.text();
    },
  };
}

/** Everything but the second entry of the PIN; returns the sent inputs. */
async function untilConfirmation(phone: Phone): Promise<string> {
  let text = "";
  await phone.send(text);
  for (const input of ["2", "2", "John Doe", "00", "43219"]) {
    text = text === "" ? input : `${text}*${input}`;
    await phone.send(text);
  }
  expect(await phone.send(text)).toContain("Confirm your 5-digit PIN:");
  return text;
}

async function logIn(phoneNumber: string, customerId: string): Promise<string> {
  const phone = newPhone(phoneNumber);
  let text = "";
  await phone.send(text);
  let reply = "";
  for (const input of ["2", "1", customerId, "43219"]) {
    text = text === "" ? input : `${text}*${input}`;
    reply = await phone.send(text);
  }
  return reply;
}

const customerIdIn = (reply: string): string => /Your Customer ID: (C[0-9A-F]+)/.exec(reply)?.[1] ?? "none";

test("after a kill while the account is being created, the repeated request leads to the only account [PH-25, PH-53]", async () => {
  const phoneNumber = "+260971230101";
  const phone = newPhone(phoneNumber);
  const history = await untilConfirmation(phone);
  let text = `${history}*43219`;
  const lost = phone.send(text).catch(() => "lost");
  await server.kill();
  await lost;
  await server.startAgain();

  let reply = await phone.send(text);
  // The PIN is never stored: if it was lost with the process, it is requested again.
  for (let typed = 0; typed < 3 && /PIN/.test(reply) && !reply.includes("Your Customer ID"); typed += 1) {
    text = `${text}*43219`;
    reply = await phone.send(text);
  }
  const customerId = customerIdIn(reply);
  expect(reply).toContain("Account created successfully!");
  expect(await phone.send(text)).toBe(reply);
  expect(await logIn(phoneNumber, customerId)).toContain(`Login successful for Customer ID: ${customerId}.`);
});

test("after a kill between the account's creation and the reply, the reply is repeated for the only account [PH-25, PH-53]", async () => {
  const phoneNumber = "+260971230102";
  const phone = newPhone(phoneNumber);
  const text = `${await untilConfirmation(phone)}*43219`;
  const lost = await phone.send(text);
  expect(lost).toContain("Account created successfully!");
  await server.kill();
  await server.startAgain();

  expect(await phone.send(text)).toBe(lost);
  expect(await logIn(phoneNumber, customerIdIn(lost))).toContain("Login successful");
  // The phone's only allowed account exists, so the next call shows that before any input.
  const other = newPhone(phoneNumber);
  await other.send("");
  expect(await other.send("2*2")).toContain("This phone has too many accounts.");
});

test("a session continues where it was after a kill between two steps [PH-76]", async () => {
  const phone = newPhone("+260971230103");
  await phone.send("");
  await phone.send("2");
  await phone.send("2*2");
  await server.kill();
  await server.startAgain();
  expect(await phone.send("2*2*John Doe")).toContain("Enter your email address (optional):");
  const debugged = await fetch(`${server.url}/api/ussd/debug/${phone.sessionId}`);
  expect(await debugged.json()).toMatchObject({
    debugInfo: { state: "accountCreation", path: "accountCreation.emailEntry" },
  });
});
