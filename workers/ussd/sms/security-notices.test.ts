/** Security notices from the event to the provider, over real SQL and an outbox in Node. */
import { expect, test } from "vitest";
import { securityNoticeText } from "../../../durable-objects/ussd-session/texts/security-notice.ts";
import { outboxInNode } from "../../../test/support/registry/outbox-in-node.ts";
import { createFakeSmsProvider } from "../../../test/support/ussd/fake-sms-provider.ts";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import {
  granted,
  newCaller,
  newCustomer,
  pendingPin,
  PIN,
  testAccounts,
  valueOf,
} from "../../../test/support/ussd/accounts.ts";
import { createLogger } from "../../../platform/log.ts";
import { createSecurityNoticeCollector, NOTICE_MAX_AGE } from "./security-notices.ts";
import { createSmsSender, type SmsCredentials } from "./africas-talking.ts";

/** An account, its phone, and an outbox that collects; `triggers` counts its calls. */
async function setUp({ hasCredentials = true, allowed = Infinity, sendsIds = false } = {}) {
  const counted = new Map<string, number>();
  const database = testDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql", "0013_ussd_gateways.sql"]);
  const provider = createFakeSmsProvider();
  const log: string[] = [];
  const state = { triggers: 0, hasCredentials, isDown: false, sendsIds };
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
    settings: { app: "Twinedge" },
    defaultLanguage: "en",
    limits: {
      // A new Customer ID is not a notice: see its own test.
      async allowInfo() {
        return state.sendsIds;
      },
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
  const accounts = await testAccounts(database, { clock: box, onSecurityEvent: () => void (state.triggers += 1) });
  const caller = newCaller();
  const customerId = await newCustomer(accounts.port, caller);
  const created = { triggers: state.triggers };
  state.triggers = 0;
  const { port } = accounts;
  return {
    ...accounts,
    database,
    provider,
    box,
    state,
    caller,
    customerId,
    created,
    log,
    /** Runs the trigger and everything that follows. */
    async trigger() {
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

test("a changed PIN: one notice to the account's phone, however often the step or the trigger is repeated [PH-108, PH-110]", async () => {
  const { changePin, trigger, provider, caller, customerId, state, box } = await setUp();
  const again = await changePin();
  expect(state.triggers).toBe(1);
  await trigger();
  await again();
  await trigger();
  box.lose();
  await trigger();
  expect(provider.received).toEqual([
    {
      to: caller.phoneNumber,
      message: `Twinedge: the PIN of your account ..${customerId.slice(-4)} was changed on 2026-11-21 09:00 UTC. Not you? Contact support.`,
      from: undefined,
    },
  ]);
});

test("a lock: one notice with its length, none while it lasts, another one for the next lock [PH-108]", async () => {
  const { login, trigger, provider, caller, clock, state } = await setUp();
  const otherPhone = newCaller();
  const lock = async () => {
    for (const pin of ["99999", "99998", "99997", PIN, PIN]) await login(otherPhone, pin);
    await trigger();
  };
  await lock();
  expect(state.triggers).toBe(1);
  clock.now += 900_000;
  await lock();
  expect(provider.received.map(({ to }) => to)).toEqual([caller.phoneNumber, caller.phoneNumber]);
  expect(provider.received.map(({ message }) => / for (\d+) minutes\./.exec(message)?.[1])).toEqual(["15", "30"]);
});

test("a notice names the locked phones: others, or the customer's own [PH-108]", async () => {
  const { login, trigger, provider, caller } = await setUp();
  const stranger = newCaller();
  for (const pin of ["99999", "99998", "99997"]) await login(stranger, pin);
  await trigger();
  for (const pin of ["99999", "99998", "99997"]) await login(caller, pin);
  await trigger();
  const [others, own] = provider.received.map(({ message }) => message);
  expect(others).toMatch(/from other phones on .* They are locked for 15 minutes\. Yours is not\.$/);
  expect(own).toMatch(/Your account \.\.\w{4} was locked on .* for 15 minutes\.$/);
});

test("a login from a new phone: one notice to the account's phone for each such phone, none for its own phone [PH-108, PH-109]", async () => {
  const { login, trigger, provider, caller, state } = await setUp();
  const otherPhones = [newCaller(), newCaller()];
  await login();
  expect(state.triggers).toBe(0);
  for (const otherPhone of [...otherPhones, ...otherPhones]) await login(otherPhone);
  await trigger();
  expect(provider.received.map(({ to }) => to)).toEqual([caller.phoneNumber, caller.phoneNumber]);
  expect(provider.received[0]?.message).toContain("from a new phone on 2026-11-21 09:00 UTC");
  const texts = provider.received.map(({ message }) => message).join("\n");
  for (const { phoneNumber } of otherPhones) expect(texts).not.toContain(phoneNumber.slice(-6));
});

test("an operator's reset: a notice without the temporary PIN [PH-108, PH-109]", async () => {
  const { operators, trigger, provider, customerId } = await setUp();
  const reset = await valueOf(operators.resetPin(customerId));
  await trigger();
  expect(provider.received.map(({ message }) => message)).toEqual([expect.stringContaining("a temporary PIN")]);
  expect(provider.received[0]?.message).not.toContain(reset.temporaryPin);
});

test("no message contains a PIN or a whole Customer ID; logs contain neither number nor text [PH-109, PH-115]", async () => {
  const { changePin, login, trigger, provider, customerId, box, log, caller } = await setUp();
  await changePin();
  await login(newCaller(), "86420");
  const stranger = newCaller();
  for (const pin of ["99999", "99998", "99997"]) await login(stranger, pin);
  await trigger();
  expect(provider.received).toHaveLength(3);
  const texts = provider.received.map(({ message }) => message).join("\n");
  for (const secret of [customerId, PIN, "86420", "99999"]) expect(texts).not.toContain(secret);
  for (const secret of [caller.phoneNumber.slice(1), "Twinedge"])
    expect([...box.log, ...log].join()).not.toContain(secret);
});

test("in the customer's language, otherwise the phone's, otherwise the service's [PH-109]", async () => {
  const { changePin, operators, trigger, provider, database, customerId } = await setUp();
  await changePin();
  await trigger();
  await database.prepare("UPDATE phones SET language = 'sw'").run();
  await operators.resetPin(customerId);
  await trigger();
  await database.prepare("UPDATE customers SET language = 'fr'").run();
  await operators.resetPin(customerId);
  await trigger();
  expect(provider.received.map(({ message }) => message)).toEqual([
    expect.stringContaining("Not you? Contact support."),
    expect.stringContaining("Wasiliana na huduma."),
    expect.stringContaining("Pas demandé ? Contactez-la."),
  ]);
});

test("guesses at an unknown id trigger the outbox as a customer's do, and send nothing [PH-57]", async () => {
  const { port, trigger, provider, state } = await setUp();
  const stranger = newCaller();
  for (const pin of ["99999", "99998", "99997"]) {
    await valueOf(port.login({ caller: stranger, customerId: "CNOTEXIST99", pin }));
  }
  expect(state.triggers).toBe(1);
  await trigger();
  expect(provider.received).toEqual([]);
});

test("without credentials nothing is sent; once configured, events older than a day send none [PH-110]", async () => {
  const { changePin, login, trigger, provider, state, clock } = await setUp({ hasCredentials: false });
  await changePin();
  await trigger();
  clock.now += NOTICE_MAX_AGE - 1;
  await login(newCaller(), "86420");
  clock.now += 1;
  state.hasCredentials = true;
  await trigger();
  expect(provider.received.map(({ message }) => message)).toEqual([expect.stringContaining("from a new phone")]);
});

test("a notice survives hours of failures of the provider; after a rejection it is not sent again [PH-110]", async () => {
  const { changePin, trigger, provider, operators, customerId } = await setUp();
  provider.results.push(...Array.from({ length: 7 }, () => ({ http: 503 })));
  await changePin();
  await trigger();
  expect(provider.received).toHaveLength(8);
  provider.results.push({ statusCode: 406, status: "UserInBlacklist" });
  await operators.resetPin(customerId);
  await trigger();
  await trigger();
  expect(provider.received).toHaveLength(9);
});

test("a failing database delays no other message, and its notices follow later [PH-110]", async () => {
  const { changePin, trigger, provider, box, state, log } = await setUp();
  await changePin();
  state.isDown = true;
  await box.core.enqueue([{ id: "info", topic: "info", body: '{"to":"+15550000000","text":"Hello"}', ordered: false }]);
  await trigger();
  expect(provider.received.map(({ message }) => message)).toEqual(["Hello"]);
  expect(log.join()).toContain("security-notices-not-collected");
  state.isDown = false;
  await trigger();
  expect(provider.received).toHaveLength(2);
});

test("the notices of one kind and account are limited; other kinds and accounts are not affected [PH-111]", async () => {
  const { login, operators, trigger, provider, customerId, port, caller } = await setUp({ allowed: 3 });
  for (let index = 0; index < 5; index += 1) await login(newCaller());
  await trigger();
  expect(provider.received).toHaveLength(3);
  await operators.resetPin(customerId);
  const other = await newCustomer(port, caller);
  await valueOf(port.login({ caller: newCaller(), customerId: other, pin: PIN }));
  await login(newCaller());
  await trigger();
  expect(provider.received.slice(3).map(({ message }) => message)).toEqual([
    expect.stringContaining("a temporary PIN"),
    expect.stringContaining(`..${other.slice(-4)}`),
  ]);
});

test("many concurrent ones are all sent, each once [PH-110]", async () => {
  const { login, trigger, provider, port } = await setUp();
  for (let index = 0; index < 3; index += 1) await login();
  const otherPhones = Array.from({ length: 70 }, () => newCaller());
  for (const otherPhone of otherPhones) await login(otherPhone);
  await valueOf(port.reportBindRefusal(newCaller()));
  await trigger();
  await trigger();
  expect(provider.received).toHaveLength(70);
});

test("a new account's Customer ID is sent once to its phone, if information messages to that phone are allowed [PH-119]", async () => {
  const { trigger, provider, customerId, caller, created } = await setUp({ sendsIds: true });
  await trigger();
  await trigger();
  expect(provider.received).toEqual([
    expect.objectContaining({
      to: caller.phoneNumber,
      message: expect.stringContaining(`Customer ID is ${customerId}`),
    }),
  ]);
  expect(created.triggers).toBe(1);
});
