/** The tables of every object class in wrangler.toml, as the objects create them, against their declarations. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { declaredIn, declarations } from "../support/documents/stored-data.ts";
import { createEdge, openSession } from "../support/oracle/oracle-edge.ts";

type Stub = Parameters<typeof runInDurableObject>[0];

/** Makes an object of each class that has stored something. */
const firstWrites: Readonly<Record<string, () => Promise<Stub>>> = {
  async ChatSession() {
    const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS } = env;
    const edge = await createEdge({ CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, LLM_PROVIDER: "local" });
    const session = CHAT_SESSION.getByName(await openSession(edge, 58));
    // A handshake creates the tables of the socket server.
    const response = await session.fetch("https://oracle.test/socket.io/?EIO=4&transport=polling");
    await response.text();
    return session as unknown as Stub;
  },
  async UserVault() {
    const vault = env.USER_VAULT.getByName("did:test:stored-data");
    await vault.addPluginValue("test", "key", "true");
    return vault as unknown as Stub;
  },
  async RateLimiter() {
    const limiter = env.RATE_LIMITER.getByName("stored-data");
    await limiter.take(10, 60);
    return limiter as unknown as Stub;
  },
  async Outbox() {
    const outbox = env.OUTBOX.getByName("webhook:stored-data");
    await outbox.open(0, "secret");
    return outbox as unknown as Stub;
  },
  async UssdSession() {
    const sessionId = crypto.randomUUID();
    const { DEPLOYED_USSD_SESSION: sessions } = env as unknown as { DEPLOYED_USSD_SESSION: Env["USSD_SESSION"] };
    const session = sessions.getByName(sessionId);
    const dial = { sessionId, serviceCode: "*2233#", phoneNumber: "+260971230099", dialledSuffix: "", text: "" };
    expect((await session.handle(dial)).kind).toBe("CON");
    return session as unknown as Stub;
  },
  async CreditLedger() {
    const ledger = env.CREDIT_LEDGER.getByName("did:test:stored-data");
    await ledger.cover("run", 0, 0);
    return ledger as unknown as Stub;
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
