/** Webhooks over the registry's routes, with real outboxes and a scripted receiver. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, expect } from "vitest";
import { receivedAt, scriptedReceiver } from "./scripted-webhook-receiver.ts";
import { registryEdge } from "./registry-edge.ts";

/** Issues keys for the file, and deletes its webhooks after each test. */
export function webhooksForTests() {
  const { DATABASE, SCRIPTED_OUTBOX } = env;
  const settings = { DATABASE, OUTBOX: SCRIPTED_OUTBOX, REGISTRY_WEBHOOK_HOSTS: "Hooks.test" };
  // The signatures are checked against the machine's clock.
  const edge = registryEdge(settings, Date.now());

  let key = "";
  let admin = "";
  let last = 0;
  beforeAll(async () => {
    key = await edge.keyOf("did:web:hooks-writer.test", ["domains:write"]);
    admin = await edge.keyOf("did:web:hooks-admin.test", ["registry:admin"]);
  });

  beforeEach(() => {
    scriptedReceiver.received.length = 0;
  });

  // The number of webhooks is bounded, and those of another test would receive this one's domains.
  afterEach(async () => {
    for (const { id } of (await ask("GET", "?limit=100")).body.data) await ask("DELETE", `/${id}`);
    await edge.settled();
  });

  const ask = (method: string, path: string, body?: object) =>
    edge.ask(method, `/v1/webhooks${path}`, { key: admin, ...(body === undefined ? {} : { body }) });

  const answer = (status: number) => () => new Response(null, { status });
  async function newWebhook(more: object = {}) {
    const url = `https://hooks.test/${(last += 1)}`;
    const created = await ask("POST", "", { url, ...more });
    expect(created.status).toBe(201);
    const { id, secret } = created.body;
    return {
      id: String(id),
      secret: String(secret),
      url,
      created,
      get stub() {
        return SCRIPTED_OUTBOX.getByName(`webhook:${id}`);
      },
      receivedMessages: () => receivedAt(url).map(({ body }) => `${body.data.seq}:${body.type}`),
      async deliveries(query = "") {
        return (await ask("GET", `/${id}/deliveries${query}`)).body.data;
      },
      /** As if the time of the next attempt had come. */
      async hurry() {
        const stub = SCRIPTED_OUTBOX.getByName(`webhook:${id}`);
        await runInDurableObject(stub, (_, { storage }) =>
          storage.sql.exec("UPDATE deliveries SET next_attempt_at = 0 WHERE state = 'pending'"),
        );
        await runDurableObjectAlarm(stub);
      },
    };
  }

  async function newDomain(): Promise<string> {
    const body = { type: "Project", class: "did:ixo:protocol/cooking", metadata: { name: "A" } };
    return (await edge.ask("POST", "/v1/domains", { key, body })).body.id;
  }

  return {
    DATABASE,
    settings,
    edge,
    get key() {
      return key;
    },
    ask,
    answer,
    newWebhook,
    newDomain,
  };
}
