/** Security notices from the act to the provider, over real SQL and an outbox in Node (decisions/004). */
import { expect, test } from "vitest";
import { securityNoticeText } from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import { outboxInNode } from "../../../test/support/outbox-in-node.ts";
import { createSmsProvider } from "../../../test/support/sms-provider.ts";
import { createSqliteDatabase } from "../../../test/support/sqlite-database.ts";
import {
  granted,
  newCaller,
  newCustomer,
  pendingPin,
  PIN,
  testAccounts,
  valueOf,
} from "../../../test/support/ussd/accounts.ts";
import { createLogger } from "../../platform/log.ts";
import { createSecurityNoticeCollector, NOTICE_MAX_AGE } from "./security-notices.ts";
import { createSmsSender, type SmsCredentials } from "./africas-talking.ts";

/** An account, its phone, and an outbox that collects; `bells` counts how often one was told to. */
async function setUp({ hasCredentials = true, allowed = Infinity } = {}) {
  const counted = new Map<string, number>();
  const database = createSqliteDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql"]);
  const provider = createSmsProvider();
  const log: string[] = [];
  const state = { bells: 0, hasCredentials, isDown: false };
  const guarded = new Proxy(database, {
    get(target, name) {
      if (state.isDown) throw new Error("the database is down");
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const collect = createSecurityNoticeCollector({
    database: guarded,
    text: securityNoticeText,
    app: "Twinedge",
    defaultLanguage: "en",
    limits: {
      async allowNotice(about, kind) {
        const key = `${about} ${kind}`;
        const count = (counted.get(key) ?? 0) + 1;
        counted.set(key, count);
        return count <= allowed;
      },
    },
    clock: () => box.now,
    log: createLogger({}, (_, line) => log.push(line)),
  });
  const credentials: SmsCredentials = {
    AFRICAS_TALKING_USERNAME: provider.credentials.username,
    AFRICAS_TALKING_API_KEY: provider.credentials.apiKey,
    AFRICAS_TALKING_SENDER_ID: undefined,
    AFRICAS_TALKING_URL: undefined,
  };
  const sender = createSmsSender(credentials, provider.fetch, collect);
  const box = outboxInNode({
    ...sender,
    open: (name) => (state.hasCredentials ? sender.open(name) : createSmsSender(undefined, provider.fetch).open(name)),
  });
  const accounts = await testAccounts(database, { clock: box, onSecurityEvent: () => void (state.bells += 1) });
  const caller = newCaller();
  const customerId = await newCustomer(accounts.port, caller);
  const { port } = accounts;
  return {
    ...accounts,
    database,
    provider,
    box,
    state,
    caller,
    customerId,
    log,
    /** What the bell does, and all that follows. */
    async bell() {
      await box.core.enqueue([]);
      await box.run();
    },
    login: (from = caller, pin = PIN) => valueOf(port.login({ caller: from, customerId, pin })),
    async changePin(pin = "86420") {
      const login = granted(await valueOf(port.login({ caller, customerId, pin: PIN })));
      const changeKey = crypto.randomUUID();
      const change = { caller, login, changeKey, sealedPin: await pendingPin(port, changeKey, pin) };
      await valueOf(port.changePin(change));
      return () => valueOf(port.changePin(change));
    },
  };
}

test("a changed PIN: told to the account's phone, once however often the step or the bell is repeated", async () => {
  const { changePin, bell, provider, caller, customerId, state, box } = await setUp();
  const again = await changePin();
  expect(state.bells).toBe(1);
  await bell();
  await again();
  await bell();
  box.lose();
  await bell();
  expect(provider.received).toEqual([
    {
      to: caller.phoneNumber,
      message: `Twinedge: the PIN of your account ..${customerId.slice(-4)} was changed on 2026-11-21 09:00 UTC. Not you? Contact support.`,
      from: undefined,
    },
  ]);
});

test("a lock: told with its length, not again while it lasts, anew when there is another", async () => {
  const { login, bell, provider, caller, clock, state } = await setUp();
  const stranger = newCaller();
  const lock = async () => {
    for (const pin of ["99999", "99998", "99997", PIN, PIN]) await login(stranger, pin);
    await bell();
  };
  await lock();
  expect(state.bells).toBe(1);
  clock.now += 900_000;
  await lock();
  expect(provider.received.map(({ to }) => to)).toEqual([caller.phoneNumber, caller.phoneNumber]);
  expect(provider.received.map(({ message }) => / for (\d+) minutes\./.exec(message)?.[1])).toEqual(["15", "30"]);
});

test("a lock says whose phones it locks: others, or the customer's own", async () => {
  const { login, bell, provider, caller } = await setUp();
  for (const pin of ["99999", "99998", "99997"]) await login(newCaller(), pin);
  await bell();
  for (const pin of ["99999", "99998", "99997"]) await login(caller, pin);
  await bell();
  const [others, own] = provider.received.map(({ message }) => message);
  expect(others).toMatch(/from other phones on .* They are locked for 15 minutes\. Yours is not\.$/);
  expect(own).toMatch(/Your account \.\.\w{4} was locked on .* for 15 minutes\.$/);
});

test("a login from a strange phone: told to the account's own phone, once for each such phone; of the own phone never", async () => {
  const { login, bell, provider, caller, state } = await setUp();
  const strangers = [newCaller(), newCaller()];
  await login();
  expect(state.bells).toBe(0);
  for (const stranger of [...strangers, ...strangers]) await login(stranger);
  await bell();
  expect(provider.received.map(({ to }) => to)).toEqual([caller.phoneNumber, caller.phoneNumber]);
  expect(provider.received[0]?.message).toContain("from a new phone on 2026-11-21 09:00 UTC");
  const told = provider.received.map(({ message }) => message).join("\n");
  for (const { phoneNumber } of strangers) expect(told).not.toContain(phoneNumber.slice(-6));
});

test("an operator's reset is told, without the PIN that it made", async () => {
  const { operators, bell, provider, customerId } = await setUp();
  const reset = await valueOf(operators.resetPin(customerId));
  await bell();
  expect(provider.received.map(({ message }) => message)).toEqual([expect.stringContaining("a temporary PIN")]);
  expect(provider.received[0]?.message).not.toContain(reset.temporaryPin);
});

test("no message has a PIN or a whole customer id; logs have neither number nor text", async () => {
  const { changePin, login, bell, provider, customerId, box, log, caller } = await setUp();
  await changePin();
  await login(newCaller(), "86420");
  for (const pin of ["99999", "99998", "99997"]) await login(newCaller(), pin);
  await bell();
  expect(provider.received).toHaveLength(3);
  const told = provider.received.map(({ message }) => message).join("\n");
  for (const secret of [customerId, PIN, "86420", "99999"]) expect(told).not.toContain(secret);
  for (const secret of [caller.phoneNumber.slice(1), "Twinedge"])
    expect([...box.log, ...log].join()).not.toContain(secret);
});

test("in the customer's language, else in their phone's, else in the service's", async () => {
  const { changePin, operators, bell, provider, database, customerId } = await setUp();
  await changePin();
  await bell();
  await database.prepare("UPDATE phones SET language = 'sw'").run();
  await operators.resetPin(customerId);
  await bell();
  await database.prepare("UPDATE customers SET language = 'fr'").run();
  await operators.resetPin(customerId);
  await bell();
  expect(provider.received.map(({ message }) => message)).toEqual([
    expect.stringContaining("Not you? Contact support."),
    expect.stringContaining("Wasiliana na huduma."),
    expect.stringContaining("Pas demandé ? Contactez-la."),
  ]);
});

test("guesses at an id of nobody ring the bell as a customer's do, and tell nobody", async () => {
  const { port, bell, provider, state } = await setUp();
  for (const pin of ["99999", "99998", "99997"]) {
    await valueOf(port.login({ caller: newCaller(), customerId: "CNOTEXIST99", pin }));
  }
  expect(state.bells).toBe(1);
  await bell();
  expect(provider.received).toEqual([]);
});

test("without credentials nothing is sent; once there are some, what is older than a day is not told", async () => {
  const { changePin, login, bell, provider, state, clock } = await setUp({ hasCredentials: false });
  await changePin();
  await bell();
  clock.now += NOTICE_MAX_AGE - 1;
  await login(newCaller(), "86420");
  clock.now += 1;
  state.hasCredentials = true;
  await bell();
  expect(provider.received.map(({ message }) => message)).toEqual([expect.stringContaining("from a new phone")]);
});

test("a provider that is out for hours gets it when it is back; one that refuses is left alone", async () => {
  const { changePin, bell, provider, operators, customerId } = await setUp();
  provider.fates.push(...Array.from({ length: 7 }, () => ({ http: 503 })));
  await changePin();
  await bell();
  expect(provider.received).toHaveLength(8);
  provider.fates.push({ statusCode: 406, status: "UserInBlacklist" });
  await operators.resetPin(customerId);
  await bell();
  await bell();
  expect(provider.received).toHaveLength(9);
});

test("a database that cannot be asked holds up no other message, and its notices come later", async () => {
  const { changePin, bell, provider, box, state, log } = await setUp();
  await changePin();
  state.isDown = true;
  await box.core.enqueue([{ id: "info", topic: "info", body: '{"to":"+15550000000","text":"Hello"}', ordered: false }]);
  await bell();
  expect(provider.received.map(({ message }) => message)).toEqual(["Hello"]);
  expect(log.join()).toContain("security-notices-not-collected");
  state.isDown = false;
  await bell();
  expect(provider.received).toHaveLength(2);
});

test("of one kind and account only so many are told; no other kind or account goes short for it", async () => {
  const { login, operators, bell, provider, customerId, port, caller } = await setUp({ allowed: 3 });
  for (let index = 0; index < 5; index += 1) await login(newCaller());
  await bell();
  expect(provider.received).toHaveLength(3);
  await operators.resetPin(customerId);
  const other = await newCustomer(port, caller);
  await valueOf(port.login({ caller: newCaller(), customerId: other, pin: PIN }));
  await login(newCaller());
  await bell();
  expect(provider.received.slice(3).map(({ message }) => message)).toEqual([
    expect.stringContaining("a temporary PIN"),
    expect.stringContaining(`..${other.slice(-4)}`),
  ]);
});

test("many at once are all told, each once", async () => {
  const { login, bell, provider, port } = await setUp();
  for (let index = 0; index < 3; index += 1) await login();
  const strangers = Array.from({ length: 70 }, () => newCaller());
  for (const stranger of strangers) await login(stranger);
  await valueOf(port.reportBindRefusal(newCaller()));
  await bell();
  await bell();
  expect(provider.received).toHaveLength(70);
});
