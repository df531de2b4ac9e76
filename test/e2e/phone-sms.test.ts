/** Text messages to a mock provider on a separate port: information messages and security notices. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startLocalServer, type LocalServer } from "../support/server/local-server.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { createFakeSmsProvider } from "../support/ussd/fake-sms-provider.ts";

const provider = createFakeSmsProvider();
let listening: LocalServer;
let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  listening = started(await startLocalServer((incoming, body, outgoing) => void serve(incoming, body, outgoing)));
  server = started(
    await startRunningServer({
      AFRICAS_TALKING_USERNAME: provider.credentials.username,
      AFRICAS_TALKING_API_KEY: provider.credentials.apiKey,
      AFRICAS_TALKING_URL: listening.origin,
      // A busy machine may take longer than gateways should wait.
      USSD_REPLY_BUDGET_MS: "9000",
    }),
  );
});
async function serve({ url = "", headers, method = "" }: IncomingMessage, body: string, outgoing: ServerResponse) {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const request = new Request(`${listening.origin}${url}`, { method, headers: given, body });
  const response = await provider.respond(request);
  outgoing.writeHead(response.status).end(await response.text());
}

let sessionId: string;
beforeEach(() => {
  sessionId = crypto.randomUUID();
});

async function send(text: string, phoneNumber = "+260971230201"): Promise<string> {
  const response = await fetch(`${server.url}/api/ussd`, {
    method: "POST",
    body: JSON.stringify({ sessionId, serviceCode: "*2233#", phoneNumber, text }),
  });
  return response.text();
}

/** A call from its dial on; returns the last reply. Each request is sent twice, as by a gateway without a response. */
async function call(phoneNumber: string, ...inputs: readonly string[]): Promise<string> {
  sessionId = crypto.randomUUID();
  let reply = await send("", phoneNumber);
  for (const index of inputs.keys()) {
    const text = inputs.slice(0, index + 1).join("*");
    reply = await send(text, phoneNumber);
    expect(await send(text, phoneNumber)).toBe(reply);
  }
  return reply;
}

test("offered, accepted by the provider, and shown as sent; the repeated request sends nothing more [PH-105, PH-106]", async () => {
  await send("");
  await send("1");
  const page = await send("1*2");
  expect(await send("1*2*98")).toContain("2. Send this by SMS");
  const reply = await send("1*2*98*2");
  expect(reply).toMatch(/SMS (?:is )?on its way\./);
  expect(await send("1*2*98*2")).toBe(reply);
  expect(provider.received).toHaveLength(1);
  expect(provider.received[0]).toMatchObject({ to: "+260971230201", from: undefined });
  expect(page).toContain(provider.received[0]?.message.slice(0, 40));
});

test("rejected by the provider, as the screen says [PH-105]", async () => {
  const before = provider.received.length;
  provider.results.push({ statusCode: 406, status: "UserInBlacklist" });
  await send("");
  await send("1");
  await send("1*2");
  expect(await send("1*2*2")).toMatch(/SMS not sent\.|The SMS could not be sent\./);
  expect(provider.received).toHaveLength(before + 1);
});

test("a new Customer ID, a login from another phone, a new PIN, a lock: one SMS each, to the phone of the account [PH-108, PH-110, PH-119]", async () => {
  const [owner, otherPhone] = ["+260971230203", "+260971230204"];
  const created = await call(owner, "2", "2", "John Doe", "00", "43219", "43219");
  const [, customerId = ""] = /Your Customer ID: (C[0-9A-F]+)/.exec(created) ?? [];
  expect(await call(owner, "2", "1", customerId, "43219")).toContain("Login successful");
  const changed = await call(otherPhone, "2", "1", customerId, "43219", "1", "3", "4", "43219", "86420", "86420");
  expect(changed).toContain("Your PIN was changed.");
  expect(await call(otherPhone, "2", "1", customerId, "86420")).toContain("Login successful");
  expect(await call(otherPhone, "2", "1", customerId, "90001", "90002", "90003")).toContain("Locked for 15 minutes.");

  const received = () => provider.received.filter(({ to }) => to === owner).map(({ message }) => message);
  await expect.poll(received).toHaveLength(4);
  const isNewId = (message: string): boolean => message.includes("your Customer ID is");
  expect(received().filter(isNewId)).toEqual([expect.stringContaining(customerId)]);
  const text = received()
    .filter((message) => !isNewId(message))
    .toSorted()
    .join("\n");
  const account = `Digital Services: %your account ..${customerId.slice(-4)}`;
  expect(text).toContain(account.replace("%", "a login to "));
  expect(text).toContain(account.replace("%", "the PIN of "));
  expect(text).toMatch(/was locked on [-\d]+ [:\d]+ UTC for 15 minutes\./);
  expect(provider.received.some(({ to }) => to === otherPhone)).toBe(false);
  for (const secret of [customerId, "43219", "86420", otherPhone.slice(1)]) expect(text).not.toContain(secret);
});
