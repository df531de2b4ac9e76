/**
 * Webhooks from the running server to a receiver on a port: signatures that a customer's library accepts, failures, redirects and
 * silence, and the server killed while messages wait (Standard Webhooks; issue 3, deliver 7).
 */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/registry/webhook-receiver.ts";
import type { Received } from "../support/server/received.ts";

const KEY = "a-key-of-the-webhook-tests";
const bootstrap = JSON.stringify([{ key: KEY, did: "did:web:webhooks.test", scopes: ["registry:admin"] }]);

let server: RunningServer;
let receiver: WebhookReceiver;
let other: WebhookReceiver;
let webhookId = "";

const started = disposeAfterTests();
beforeAll(async () => {
  receiver = started(await startWebhookReceiver());
  other = started(await startWebhookReceiver());
  server = started(
    await startRunningServer({ REGISTRY_BOOTSTRAP_KEYS: bootstrap, REGISTRY_WEBHOOK_HOSTS: receiver.host }),
  );
});

beforeEach(async () => {
  (receiver.received as unknown[]).length = 0;
  receiver.answers.length = 0;
  const created = await call("POST", "/v1/webhooks", { url: receiver.url });
  [webhookId, receiver.secret] = [created.id, created.secret];
});
afterEach(async () => {
  await call("DELETE", `/v1/webhooks/${webhookId}`);
});

async function call(method: string, path: string, body?: object): Promise<Received> {
  const response = await fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json", "If-Match": "*" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

async function newDomains(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await call("POST", "/v1/domains", { type: "Project", class: "did:ixo:protocol/cooking" });
  }
}

/** Changes of one domain, whose messages keep their order. */
async function changesOfOneDomain(count: number): Promise<void> {
  const { id } = await call("POST", "/v1/domains", { type: "Project", class: "did:ixo:protocol/cooking" });
  for (let at = 1; at < count; at += 1) await call("PATCH", `/v1/domains/${id}`, { externalId: `x${at}` });
}

const seqs = () => receiver.received.map(({ seq }) => seq);
/** Changes of different domains, whose messages have no order. */
const ascending = (numbers: readonly (number | undefined)[]) =>
  numbers.map((number) => number ?? 0).toSorted((one, other) => one - other);
const newest = async (): Promise<number> => {
  const { page } = await call("GET", "/v1/changes?after=0&limit=100");
  return page.nextAfter;
};

test("after failures and a success, messages arrive in order, at least once, each under one id and signed", async () => {
  const before = await newest();
  receiver.answers.push(500, { redirect: other.url });
  await changesOfOneDomain(3);
  const [first, second, third] = [before + 1, before + 2, before + 3];
  // The second attempt of the first message follows within five seconds, the third within fifteen; on request, it is sent at once.
  await expect.poll(() => seqs().filter((seq) => seq === first).length).toBe(2);
  await expect
    .poll(async () => (await call("GET", `/v1/webhooks/${webhookId}/deliveries?state=pending`)).data.at(-1)?.lastReason)
    .toBe("redirect");
  const id = receiver.received.find(({ seq }) => seq === first)?.id;
  await call("POST", `/v1/webhooks/${webhookId}/deliveries/${id}/replay`);
  await expect.poll(() => seqs().filter((seq) => seq !== undefined)).toEqual([first, first, first, second, third]);
  await call("POST", `/v1/webhooks/${webhookId}/ping`);
  await expect.poll(() => receiver.received.at(-1)?.type).toBe("webhook.ping");
  expect(receiver.received.filter(({ verified }) => !verified)).toEqual([]);
  expect(new Set(receiver.received.map((message) => message.id)).size).toBe(4);
  // The redirect was not followed.
  expect(other.received).toEqual([]);
});

test("a receiver that hangs delays no request; after the server is killed, everything is delivered", async () => {
  const before = await newest();
  receiver.answers.push("hang");
  await newDomains(1);
  await expect.poll(seqs).toEqual([before + 1]);
  await newDomains(4);
  // Each domain is answered while the receiver still withholds the response to the first message.
  expect(seqs()).toEqual([before + 1]);
  await server.kill();
  await server.startAgain();
  const all = Array.from({ length: 5 }, (_, index) => before + 1 + index);
  // The object's own alarm finds waiting messages, without a write or a cron run.
  await expect.poll(() => ascending(seqs()), { interval: 200 }).toEqual([before + 1, ...all]);
  expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  await newDomains(1);
  await expect.poll(() => ascending(seqs())).toEqual([before + 1, ...all, before + 6]);
});

test("an address that no operator named is refused", async () => {
  expect(await call("POST", "/v1/webhooks", { url: other.url })).toMatchObject({ status: 400 });
  expect(await call("POST", "/v1/webhooks", { url: "http://169.254.169.254/" })).toMatchObject({ status: 400 });
});

test("events over a real connection continue where they were", async () => {
  const before = await newest();
  await newDomains(2);
  const follow = async (lastEventId: number, count: number) => {
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/v1/changes`, {
      headers: { Authorization: `Bearer ${KEY}`, Accept: "text/event-stream", "Last-Event-ID": String(lastEventId) },
      signal: leaving.signal,
    });
    const ids: number[] = [];
    let text = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      ids.splice(0, ids.length, ...[...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)));
      if (ids.length >= count) break;
    }
    leaving.abort();
    return ids;
  };
  expect(await follow(before, 2)).toEqual([before + 1, before + 2]);
  const following = follow(before + 2, 1);
  await newDomains(1);
  expect(await following).toEqual([before + 3]);
});
