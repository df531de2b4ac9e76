/** The tables of every object class in wrangler.toml, as the objects create them, against their declarations. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { declaredIn, declarations } from "../support/documents/stored-data.ts";
import type { UssdSessionRpc } from "../../durable-objects/ussd-session/rpc.ts";
import { createEdge, openSession } from "../support/oracle/oracle-edge.ts";

type Stub = DurableObjectStub;
/** The binding without the types of its calls, which are too deep for the compiler. */
const stubOf = (namespace: object, name: string): Stub => (namespace as DurableObjectNamespace).getByName(name);

/** Makes an object of each class that has stored something. */
const firstWrites: Readonly<Record<string, () => Promise<Stub>>> = {
  async ChatSession() {
    const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS } = env;
    const edge = await createEdge({ CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, LLM_PROVIDER: "local" });
    const session = stubOf(CHAT_SESSION, await openSession(edge, 58));
    // A handshake creates the tables of the socket server.
    const response = await session.fetch("https://oracle.test/socket.io/?EIO=4&transport=polling");
    await response.text();
    return session;
  },
  async UserVault() {
    await env.USER_VAULT.getByName("did:test:stored-data").addPluginValue("test", "key", "true");
    return stubOf(env.USER_VAULT, "did:test:stored-data");
  },
  async RateLimiter() {
    await env.RATE_LIMITER.getByName("stored-data").take(10, 60);
    return stubOf(env.RATE_LIMITER, "stored-data");
  },
  async Outbox() {
    await env.OUTBOX.getByName("webhook:stored-data").open(0, "secret");
    return stubOf(env.OUTBOX, "webhook:stored-data");
  },
  async UssdSession() {
    const sessionId = crypto.randomUUID();
    const { DEPLOYED_USSD_SESSION: sessions } = env as unknown as { DEPLOYED_USSD_SESSION: object };
    const session = stubOf(sessions, sessionId);
    const dial = { sessionId, serviceCode: "*2233#", phoneNumber: "+260971230099", dialledSuffix: "", text: "" };
    expect((await (session as unknown as UssdSessionRpc).handle(dial)).kind).toBe("CON");
    return session;
  },
  async CreditLedger() {
    await env.CREDIT_LEDGER.getByName("did:test:stored-data").cover("run", 0, 0);
    return stubOf(env.CREDIT_LEDGER, "did:test:stored-data");
  },
  async MetricStore() {
    await env.METRIC_STORE.getByName("stored-data").add([{ name: "a_total", labels: "{}", value: 1 }]);
    return stubOf(env.METRIC_STORE, "stored-data");
  },
};

const classes = [...new Set(declarations.map(({ place }) => place))].filter((place) => /^[A-Z][a-z]/.test(place));

test("every declared object class has a way to a first write", () => {
  expect(Object.keys(firstWrites).toSorted()).toEqual(classes.toSorted());
});

test.each(Object.keys(firstWrites))("every table of %s is declared, and no other [ALL-80]", async (name) => {
  const stub = await firstWrites[name]?.();
  if (stub === undefined) throw new Error("no object");
  const tables = await runInDurableObject(stub, (_object, state) =>
    state.storage.sql
      .exec<{ name: string }>(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
           AND name NOT GLOB 'plugin_text_words_*' AND name <> 'schema_version' ORDER BY name`,
      )
      .toArray()
      .map((row) => row.name),
  );
  // Keys of plugins' values have blanks or slashes in them.
  expect(declaredIn(name).filter((each) => /^\w+$/.test(each))).toEqual(tables);
});
