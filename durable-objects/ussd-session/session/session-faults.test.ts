/** Slow, failing or overloaded parts: wait screens, the oracle, the database, the queue. */
import { expect, test } from "vitest";
import { countRows } from "../../../test/support/ussd/accounts.ts";
import { domainEnding } from "../../../test/support/registry/slowed-domains.ts";
import { customerIn, loggedIn, pastBudget, phone, UNAVAILABLE } from "../../../test/support/ussd/caller.ts";
import { SCREENS } from "../../../test/support/ussd/screens.ts";
import { createUssdGateway, DOWN } from "../../../test/support/ussd/sessions.ts";
import type { AccountsPort, DigestPort } from "../ports.ts";

/** Digests that a test can hold back, as on a busy machine. */
function heldDigests() {
  const held = { until: Promise.resolve() };
  const digests: DigestPort = {
    keyId: "k",
    digest: async (text) => {
      await held.until;
      return `digest of ${text}`;
    },
  };
  return { held, digests };
}

/** A database that can go down and recover. */
function breakable() {
  const state = { isDown: false };
  const wrap = (port: AccountsPort): AccountsPort => {
    const guarded = Object.entries(port).map(([name, method]) => [
      name,
      (...values: readonly unknown[]) =>
        state.isDown ? Promise.resolve(DOWN) : (method as (...given: readonly unknown[]) => unknown)(...values),
    ]);
    return Object.fromEntries(guarded) as AccountsPort;
  };
  return { state, wrap };
}

test("database down: a dial and an account step END, static menus continue, nothing is half-written [PH-12, PH-13]", async () => {
  const { state, wrap } = breakable();
  const gateway = await createUssdGateway({ accounts: wrap });
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "John Doe", "00", "43219");
  state.isDown = true;
  const end = await caller.type("43219");
  expect(end).toMatchObject(UNAVAILABLE);
  expect(await gateway.post({ text: caller.text })).toMatchObject({ ...UNAVAILABLE, outcome: "replayed" });
  expect(await gateway.post({ sessionId: "s2", text: "" })).toMatchObject(UNAVAILABLE);
  await gateway.settled();
  state.isDown = false;
  expect(await countRows(gateway.database, "customers")).toBe(0);
  // The end reaches the index once the database is back; then the draft is found.
  gateway.clock.advance(5_000);
  await gateway.ringAlarms();
  await gateway.settled();
  const next = phone(gateway, "s3");
  expect((await next.dial()).body).toContain("9. Continue");
  expect((await next.type("9")).body).toContain("Create a 5-digit PIN");

  const walker = phone(gateway, "s4", "+260971239999");
  await walker.dial();
  state.isDown = true;
  expect((await walker.type("1")).body).toContain(SCREENS.I);
  expect((await walker.type("3", "0", "0", "2", "1", "C12345678")).body).toContain("Enter your PIN:");
  expect(await walker.type("43219")).toMatchObject(UNAVAILABLE);
});

test("failing storage gives that END too, and the next request works again [PH-12]", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ text: "" });
  gateway.breakStorage("s1");
  expect(await gateway.post({ text: "1" })).toMatchObject(UNAVAILABLE);
  gateway.restart();
  expect((await gateway.post({ text: "1" })).body).toContain(SCREENS.I);
  expect(gateway.log.join("")).toContain("session-failed");
});

test("a slow lookup: wait screen past the budget, one lookup in all, the result when asked for [PH-40, PH-43]", async () => {
  const gateway = await createUssdGateway();
  const { caller, customerId } = await loggedIn(gateway);
  const did = await gateway.database
    .prepare("SELECT key_did FROM customers WHERE customer_id = ?")
    .bind(customerId)
    .first("key_did");
  await gateway.domains.replace(domainEnding("abc123", [String(did)]));
  const release = gateway.domains.hold();
  await caller.type("3");
  const waiting = await pastBudget(gateway, 1_000, caller.type("1"));
  expect(waiting.body).toMatch(/^Please wait, this is taking longer\.\n1\. Check again\n0\. Back/);
  expect((await gateway.session("s1").describe(false))?.path).toBe("myDomains.pending");
  expect((await pastBudget(gateway, 1_000, caller.type("1"))).body).toMatch(/^Please wait/);
  release();
  expect((await caller.type("1")).body).toMatch(/^My records\n1\. Stove abc123: verified/);
  expect(gateway.domains.statements.filter((text) => text.startsWith("SELECT"))).toHaveLength(1);
});

test("a result that arrived during the wait screen is shown, whatever is pressed [PH-34]", async () => {
  for (const key of ["1", "0", "7"]) {
    const gateway = await createUssdGateway();
    const { caller } = await loggedIn(gateway);
    await gateway.domains.replace(domainEnding("abc123"));
    const release = gateway.domains.hold();
    await caller.type("3", "2");
    await pastBudget(gateway, 1_000, caller.type("abc123"));
    release();
    await new Promise((done) => void setImmediate(done));
    expect((await caller.type(key)).body).toMatch(/^Stove abc123\nType: project\nStatus: verified/);
  }
});

test("a failure of the registry or the oracle is a message on the menu of services [PH-41]", async () => {
  const gateway = await createUssdGateway();
  const { caller } = await loggedIn(gateway);
  gateway.domains.isDown = true;
  expect((await caller.type("3", "1")).body).toMatch(/^Not available now\. Try again later\.\n\nServices/);
  expect((await caller.type("2", "abc123")).body).toMatch(/^Not available now/);
  gateway.oracle.fault = "upstream_failed";
  expect((await caller.type("3", "hello oracle")).body).toMatch(/^Not available now/);
  gateway.oracle.fault = "payment_required";
  expect((await caller.type("3", "hello oracle")).body).toMatch(/^This service needs a paid plan\./);
});

test("without an oracle a question is answered at once, and does not count [PH-50]", async () => {
  const gateway = await createUssdGateway({ hasOracle: false });
  const { caller } = await loggedIn(gateway);
  expect((await caller.type("3", "3", "hello oracle")).body).toMatch(/^Not available now\. Try again later\./);
  expect(gateway.oracle.asked).toEqual([]);
});

test("a question is asked once: replayed, checked again, evicted, dropped and answered on the next dial [PH-46, PH-49]", async () => {
  const gateway = await createUssdGateway();
  const { caller, customerId } = await loggedIn(gateway);
  gateway.oracle.answers = { state: "running" };
  await caller.type("3", "3");
  const working = await pastBudget(gateway, 500, caller.type("hello oracle"));
  expect(working.body).toMatch(/^Still looking for an answer\.\n1\. Check again/);
  expect(await gateway.post({ text: caller.text })).toMatchObject({ outcome: "replayed", body: working.body });
  expect((await pastBudget(gateway, 500, caller.type("1"))).body).toBe(working.body);
  gateway.restart();
  expect((await pastBudget(gateway, 500, caller.type("1"))).body).toBe(working.body);
  gateway.oracle.answers = { state: "answered", text: "Yes." };
  await gateway.settled();

  const other = await customerIn(gateway, "Jane Roe");
  const next = phone(gateway, "s2");
  expect((await next.dial()).body).toContain("9. Continue where you left off");
  expect((await next.type("9", other, "43219", "1")).body).not.toContain("Yes.");
  const last = phone(gateway, "s3");
  await gateway.settled();
  await last.dial();
  expect((await last.type("9", customerId, "43219", "1")).body).toMatch(/^Yes\.\n1\. Ask again/);
  expect(gateway.oracle.asked).toHaveLength(1);
  expect(gateway.oracle.asked[0]?.text).toContain("hello oracle");
});

test("a request that took longer than its budget before it reached the oracle still asks for the answer [PH-47]", async () => {
  const { held, digests } = heldDigests();
  const gateway = await createUssdGateway({ oracleBudgetMs: 0, digests });
  const { caller } = await loggedIn(gateway);
  gateway.oracle.answers = { state: "running" };
  await caller.type("3", "3");
  expect((await caller.type("hello oracle")).body).toMatch(/^Still looking/);
  const idle = async () => {
    for (let turns = 0; turns < 5; turns = gateway.isAtWork ? 0 : turns + 1)
      await new Promise((done) => void setImmediate(done));
  };
  for (let half = 0; half < 6; half += 1) {
    await idle();
    gateway.clock.advance(500);
  }
  await idle();
  const { looks } = gateway.oracle;
  gateway.oracle.answers = { state: "answered", text: "Yes." };
  let release: () => void = () => {};
  held.until = new Promise((resolve) => (release = resolve));
  const pressed = caller.type("1");
  await new Promise((done) => void setImmediate(done));
  gateway.clock.advance(1_500);
  release();
  expect((await pressed).body).toMatch(/^Still looking/);
  await idle();
  expect(gateway.oracle.looks).toBe(looks + 1);
  expect((await caller.type("1")).body).toMatch(/^Yes\./);
});

test("the oracle is not polled after the reply; the next input or the next call polls again [PH-47, PH-49]", async () => {
  const gateway = await createUssdGateway();
  const { caller, customerId } = await loggedIn(gateway);
  gateway.oracle.answers = { state: "running" };
  await caller.type("3", "3");
  await pastBudget(gateway, 500, caller.type("hello oracle"));
  const pass = async (seconds: number) => {
    for (let half = 0; half < 2 * seconds; half += 1) {
      gateway.clock.advance(500);
      for (let idle = 0; idle < 5; idle = gateway.isAtWork ? 0 : idle + 1)
        await new Promise((done) => void setImmediate(done));
    }
  };
  await pass(2);
  const { looks } = gateway.oracle;
  await pass(60);
  expect(gateway.oracle.looks).toBe(looks);
  await pastBudget(gateway, 500, caller.type("1"));
  expect(gateway.oracle.looks).toBeGreaterThan(looks);
  await pass(2);
  const { looks: after } = gateway.oracle;
  await pass(30);
  expect(gateway.oracle.looks).toBe(after);
  gateway.oracle.answers = { state: "answered", text: "Yes." };
  await gateway.settled();
  const next = phone(gateway, "s2");
  await next.dial();
  expect((await next.type("9", customerId, "43219", "1")).body).toMatch(/^Yes\./);
});

test("a question without an answer is given up after 120 seconds [PH-47]", async () => {
  const gateway = await createUssdGateway();
  const { caller } = await loggedIn(gateway);
  gateway.oracle.answers = { state: "running" };
  await caller.type("3", "3");
  await pastBudget(gateway, 500, caller.type("hello oracle"));
  gateway.clock.advance(120_001);
  expect((await pastBudget(gateway, 500, caller.type("1"))).body).toMatch(/^No answer was found\./);
});

test("a PIN in transit at an eviction is asked for again, and is not stored [PH-112]", async () => {
  let hold: Promise<void> = Promise.resolve();
  const gateway = await createUssdGateway({
    accounts: (port) => ({
      ...port,
      login: async (attempt) => {
        await hold;
        return port.login(attempt);
      },
    }),
  });
  const customerId = await customerIn(gateway);
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "1", customerId);
  hold = new Promise(() => {});
  expect((await pastBudget(gateway, 1_000, caller.type("43219"))).body).toMatch(/^Please wait/);
  expect(gateway.stored().join("")).not.toContain("43219");
  hold = Promise.resolve();
  gateway.restart();
  expect((await caller.type("1")).body).toMatch(/^Not available now.*Enter your PIN:/s);
  expect((await caller.type("43219")).body).toContain("Login successful");
});

test("a request that waits more than 9 seconds ends the session without effect and keeps the draft [PH-75]", async () => {
  let hold: Promise<void> = Promise.resolve();
  let release: () => void = () => {};
  const gateway = await createUssdGateway({
    replyBudgetMs: 60_000,
    accounts: (port) => ({
      ...port,
      preparePin: async (pin) => {
        await hold;
        return port.preparePin(pin);
      },
    }),
  });
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "John Doe", "00");
  hold = new Promise((resolve) => {
    release = resolve;
  });
  const first = caller.type("43219");
  await new Promise((done) => void setImmediate(done));
  const second = gateway.post({ text: `${caller.text}*43219` });
  await new Promise((done) => void setImmediate(done));
  gateway.clock.advance(9_000);
  expect(await second).toMatchObject({ ...UNAVAILABLE, outcome: "overrun" });
  release();
  expect((await first).body).toContain("Confirm your 5-digit PIN:");
  await gateway.settled();
  expect(await gateway.session("s1").describe(false)).toBeNull();
  expect((await phone(gateway, "s2").dial()).body).toContain("9. Continue");
});

test("the rate limit of a phone closes its session and keeps the draft; replays are not counted [PH-91]", async () => {
  let left = 4;
  const gateway = await createUssdGateway({
    withinRate: async () => {
      left -= 1;
      return left >= 0;
    },
  });
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "2", "John Doe");
  for (let again = 0; again < 5; again += 1)
    expect((await gateway.post({ text: caller.text })).outcome).toBe("replayed");
  expect(await caller.type("00")).toMatchObject({ kind: "END", body: "Too many requests. Please try again later." });
  expect(await gateway.session("s1").describe(false)).toBeNull();
});
