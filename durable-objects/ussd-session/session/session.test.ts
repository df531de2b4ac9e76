/** How a session handles requests: their owner, the meaning of their texts, and effects that happen once. */
import { expect, test } from "vitest";
import { countRows } from "../../../test/support/ussd/accounts.ts";
import { customerIn, INVALID, loggedIn, pastBudget, phone, UNAVAILABLE } from "../../../test/support/ussd/caller.ts";
import { createUssdGateway } from "../../../test/support/ussd/sessions.ts";
import type { SessionEntry } from "../ports.ts";

/** The earlier texts, the new text, and the resulting screen. */
const parser: readonly (readonly [before: readonly string[], text: string, shown: string | RegExp])[] = [
  [[], "", "1. Know More"],
  [[], "2*1", "Enter your Customer ID"],
  [[], "2*1*C1234ABCD*43219", "Enter your PIN:"],
  [[], "*2233#", "1. Know More"],
  [[], "*2233*2*1#", "1. Know More"],
  [[""], "", "1. Know More"],
  [[""], "1", "1. Interested in Product"],
  [[""], "*", "Goodbye!"],
  [["", "1"], "1*0", "1. Know More"],
  [["", "2", "2*2"], "2*2*Exit", "Enter your email address"],
  [["", "2", "2*2"], "2*2*  John  ", "Enter your email address"],
  [["", "2", "2*2"], "2*2*José", "Enter your email address"],
  [["", "1"], "1*3**", /^Delivery depends/],
  [["", "1", "1*3"], "1*3**", "Goodbye!"],
  [["", "1", "1*3"], "1*3***", "Goodbye!"],
  [["", "1", "2"], "*", "Goodbye!"],
  [["", "1"], "*2233#", "1. Interested in Product"],
  [["", "1", "1*3", "1*3**"], "1*3**", "Goodbye!"],
  [["", "2", "2*1"], "2*1*", /^Please enter a value\.\n\nEnter your Customer ID/],
  [["", "1", "1*3"], "1", /^Delivery depends/],
  [["", "1"], "2", /^Creating an account and checking a record/],
  [["", "1"], "1", "1. Interested in Product"],
  [["", "1", "1*3"], "", /^Delivery depends/],
  [["", "1", "1*3"], "7*8*9", /^Invalid selection/],
  [["", "2", "2*2", "2*2*John"], "2*2*John*00", "Create a 5-digit PIN"],
];

test.each(parser)("after %j the text %j [PH-23, PH-24, PH-26, PH-27, PH-28, PH-32]", async (before, text, shown) => {
  const gateway = await createUssdGateway();
  for (const earlier of before) await gateway.post({ text: earlier });
  expect((await gateway.post({ text })).body).toMatch(shown);
});

test("from a gateway of latest inputs a repeated key is a new input if the first was answered long ago [PH-29]", async () => {
  const gateway = await createUssdGateway();
  for (const text of ["", "2", "0", "2"]) await gateway.post({ text });
  expect((await gateway.post({ text: "2" })).outcome).toBe("replayed");
  gateway.clock.advance(3_000);
  expect((await gateway.post({ text: "2" })).body).toContain("Enter your full name:");
});

test.each([{ phoneNumber: "+260971239999" }, { serviceCode: "*99#" }])(
  "another phone or code receives nothing of a live session and does not disturb it: %o [PH-74]",
  async (other) => {
    const gateway = await createUssdGateway();
    const { caller } = await loggedIn(gateway);
    expect(await gateway.post({ ...other, text: "" })).toMatchObject(INVALID);
    expect(await gateway.post({ ...other, text: `${caller.text}*3` })).toMatchObject(INVALID);
    expect((await caller.type("3")).body).toContain("1. My records");
    await gateway.settled();
    expect(await countRows(gateway.database, "audit_log WHERE event = 'SESSION_BIND_REFUSED'")).toBe(2);
  },
);

test("eight concurrent first dials are one visit and one reply [PH-25, PH-85]", async () => {
  const gateway = await createUssdGateway();
  const replies = await Promise.all(Array.from({ length: 8 }, () => gateway.post({ text: "" })));
  await gateway.settled();
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
  expect(await gateway.database.prepare("SELECT visits FROM phones").first("visits")).toBe(1);
  expect(await countRows(gateway.database, "ussd_sessions")).toBe(1);
});

test("a walk through menus writes the index once, and its end once more [PH-100]", async () => {
  const written: SessionEntry[] = [];
  const gateway = await createUssdGateway({
    accounts: (port) => ({
      ...port,
      saveSession: (entry) => {
        written.push(entry);
        return port.saveSession(entry);
      },
    }),
  });
  for (const text of ["", "1", "1*1", "1*1*0", "1*1*0*0", "1*1*0*0*2"]) await gateway.post({ text });
  expect(written).toMatchObject([{ state: "preMenu", endedAt: null }]);
  await gateway.post({ text: "1*1*0*0*2**" });
  expect(written.slice(1)).toMatchObject([{ state: "closeSession", endedAt: gateway.clock.now() }]);
});

test("a crash between the creation of an account and its storage leaves one account, shown on the next request [PH-53]", async () => {
  let crashes = true;
  const gateway = await createUssdGateway({
    accounts: (port) => ({
      ...port,
      createAccount: async (account) => {
        const outcome = await port.createAccount(account);
        if (crashes) gateway.restart();
        return outcome;
      },
    }),
  });
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "John Doe", "00", "43219");
  const text = `${caller.text}*43219`;
  expect(await gateway.post({ text })).toMatchObject(UNAVAILABLE);
  crashes = false;
  const { body } = await gateway.post({ text });
  const customerId = await gateway.database.prepare("SELECT customer_id FROM customers").first("customer_id");
  expect(body).toContain(`Your Customer ID: ${String(customerId)}`);
  expect(await countRows(gateway.database, "customers")).toBe(1);
});

test("a direct dial and a lost session are applied up to the first PIN [PH-24, PH-33]", async () => {
  const gateway = await createUssdGateway();
  const customerId = await customerIn(gateway);
  expect((await gateway.post({ sessionId: "a", text: `2*1*${customerId}*43219*1` })).body).toContain("Enter your PIN:");
  expect((await gateway.post({ sessionId: "b", text: "2*7*1" })).body).toMatch(/^Invalid selection.*Account Menu/s);
  expect((await gateway.post({ sessionId: "c", text: "", dialledSuffix: "1*3" })).body).toContain("Delivery depends");
  const undialled = await createUssdGateway({ rules: { directDial: false } });
  expect((await undialled.post({ text: "2*1" })).body).toContain("1. Know More");
  expect(await countRows(gateway.database, "audit_log WHERE event = 'LOGIN_FAILED'")).toBe(0);
});

test("trying PINs over many dials locks the phone, for the right PIN too, until the lock ends [PH-58, PH-59]", async () => {
  const gateway = await createUssdGateway();
  const customerId = await customerIn(gateway);
  const attempt = async (index: number, pin: string) => {
    const caller = phone(gateway, `s${index}`, "+260971230010");
    await caller.dial();
    return (await caller.type("2", "1", customerId, pin)).body;
  };
  expect(await attempt(1, "11111")).toContain("1 of 3 attempts used, 2 left.");
  expect(await attempt(2, "22222")).toContain("2 of 3 attempts used, 1 left.");
  expect(await attempt(3, "33333")).toMatch(/^Too many incorrect attempts\. Locked for 15 minutes/);
  expect(await attempt(4, "43219")).toMatch(/^Too many incorrect attempts\. Locked for 15 minutes/);
  gateway.clock.advance(900_000);
  expect(await attempt(5, "43219")).toContain("Login successful");
});

test("a login ends when an operator resets the PIN; the temporary one leads to a new one [PH-42, PH-56, PH-63]", async () => {
  const gateway = await createUssdGateway();
  const { caller, customerId } = await loggedIn(gateway);
  const reset = await gateway.accounts.operators.resetPin(customerId);
  if (!reset.ok) throw new Error(reset.error.message);
  expect((await caller.type("3")).body).toMatch(/^Please log in again\.\n\nWelcome/);
  expect((await caller.type("2", "1", customerId, reset.value.temporaryPin)).body).toMatch(
    /^Please set a new PIN\.\n\nEnter a new 5-digit PIN:/,
  );
  expect((await gateway.session("s1").describe(false))?.path).toBe("login.mustChange.new");
  expect((await caller.type("86420", "86420")).body).toContain("Login successful");
  expect((await caller.type("1")).body).toContain("3. Services");
});

test.each([
  ["the menu of services", [], "2"],
  ["a record's DID", ["2"], "abc123"],
  ["a question", ["3"], "What is a stove?"],
  ["the PIN to change", ["4"], "43219"],
  ["a language", ["5"], "2"],
])(
  "a caller at %s whose login was revoked is logged out at the next step, and the input is not used [PH-42, PH-144]",
  async (_, way, input) => {
    const gateway = await createUssdGateway();
    const { caller, customerId } = await loggedIn(gateway);
    await caller.type("3", ...way);
    expect((await gateway.accounts.operators.resetPin(customerId)).ok).toBe(true);
    const attempts = await countRows(gateway.database, "audit_log");
    expect((await caller.type(input)).body).toMatch(/^Please log in again\.\n\nWelcome/);
    expect(await countRows(gateway.database, "audit_log")).toBe(attempts);
    expect((await caller.type("3")).body).toContain("Invalid selection");
  },
);

test("an unresponsive database delays a step's login check by at most a second [PH-144]", async () => {
  let hangs = false;
  const gateway = await createUssdGateway({
    accounts: (port) => ({
      ...port,
      customer: (login) => (hangs ? new Promise(() => undefined) : port.customer(login)),
    }),
  });
  const { caller } = await loggedIn(gateway);
  await caller.type("3");
  hangs = true;
  const { body } = await pastBudget(gateway, 1_000, caller.type("2"));
  expect(body).not.toContain("log in again");
  expect((await gateway.session("s1").describe(false))?.path).toMatch(/^domainStatus\./);
});

test("neither PIN nor text is stored, logged or reported [PH-112, PH-115]", async () => {
  const gateway = await createUssdGateway();
  const seen: string[] = [];
  const caller = phone(gateway);
  await caller.dial();
  for (const input of ["2", "2", "John Doe", "00", "86420", "86421", "86420", "86420", "1", "1"]) {
    await caller.type(input);
    seen.push(...gateway.stored());
  }
  const customerId = String(await gateway.database.prepare("SELECT customer_id FROM customers").first("customer_id"));
  for (const input of [customerId, "97531", "86420", "1", "3", "4", "86420", "97530", "97530"]) {
    await caller.type(input);
    seen.push(...gateway.stored());
  }
  await gateway.settled();
  const everything = [...seen, ...gateway.log, JSON.stringify(gateway.reports)].join("\n");
  for (const secret of ["86420", "86421", "97531", "97530", "2*2*John", caller.text])
    expect(everything).not.toContain(secret);
});
