/** Know More by SMS, from the menu to a provider on a port of its own: what the screen says is what happened. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startLocalServer, type LocalServer } from "../support/local-server.ts";
import { startRunningServer, type RunningServer } from "../support/running-server.ts";
import { createSmsProvider } from "../support/sms-provider.ts";

const provider = createSmsProvider();
let listening: LocalServer;
let server: RunningServer;
beforeAll(async () => {
  listening = await startLocalServer((incoming, body, outgoing) => void serve(incoming, body, outgoing));
  server = await startRunningServer({
    AFRICAS_TALKING_USERNAME: provider.credentials.username,
    AFRICAS_TALKING_API_KEY: provider.credentials.apiKey,
    AFRICAS_TALKING_URL: listening.origin,
  });
});
async function serve({ url = "", headers, method = "" }: IncomingMessage, body: string, outgoing: ServerResponse) {
  const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const request = new Request(`${listening.origin}${url}`, { method, headers: given, body });
  const response = await provider.answer(request);
  outgoing.writeHead(response.status).end(await response.text());
}
afterAll(async () => {
  await server.dispose();
  await listening.close();
});

let sessionId: string;
beforeEach(() => {
  sessionId = crypto.randomUUID();
});

async function send(text: string): Promise<string> {
  const response = await fetch(`${server.url}/api/ussd`, {
    method: "POST",
    body: JSON.stringify({ sessionId, serviceCode: "*2233#", phoneNumber: "+260971230201", text }),
  });
  return response.text();
}

test("offered, taken by the provider, and said to be on its way; the request again sends nothing more", async () => {
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

test("refused by the provider: said to be so", async () => {
  const before = provider.received.length;
  provider.fates.push({ statusCode: 406, status: "UserInBlacklist" });
  await send("");
  await send("1");
  await send("1*2");
  expect(await send("1*2*2")).toMatch(/SMS not sent\.|The SMS could not be sent\./);
  expect(provider.received).toHaveLength(before + 1);
});

test("slow: a wait screen past the budget, then what became of it", { timeout: 60_000 }, async () => {
  provider.fates.push({ http: 503 });
  await send("");
  await send("1");
  await send("1*2");
  let text = "1*2*2";
  let reply = await send(text);
  expect(reply).not.toMatch(/not sent|could not be sent/);
  for (let looks = 0; looks < 8 && reply.includes("1. Check again"); looks += 1) {
    text = `${text}*1`;
    reply = await send(text);
  }
  expect(reply).toMatch(/SMS (?:is )?on its way\./);
});
