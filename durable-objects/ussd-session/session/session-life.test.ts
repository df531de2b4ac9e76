/** How a session ends, is remembered, expires and is resumed, and what operators see of it. */
import { expect, test } from "vitest";
import { sessionName } from "../../../platform/object-names.ts";
import { customerIn, loggedIn, phone } from "../../../test/support/ussd/caller.ts";
import { SCREENS } from "../../../test/support/ussd/screens.ts";
import { createUssdGateway, PHONE } from "../../../test/support/ussd/sessions.ts";
import { MACHINE_VERSION } from "../menus/root-menu.ts";

test("texts that arrive late or out of order repeat the last reply; shortened ones show the screen again [PH-26, PH-27]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  const information = await caller.type("1");
  const delivery = await caller.type("3");
  expect(await gateway.post({ text: "1" })).toMatchObject({ outcome: "replayed", body: delivery.body });
  expect((await gateway.post({ text: "" })).body).toBe(delivery.body);
  expect((await caller.type("0")).body).toBe(information.body);
});

test("an END is remembered: equal texts get it again, an empty one dials again [PH-78]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  const end = await caller.type("1", "*");
  expect(end.kind).toBe("END");
  expect(await gateway.session("s1").describe(false)).toBeNull();
  expect(await gateway.post({ text: "1**" })).toMatchObject({ outcome: "replayed", body: end.body });
  expect(await gateway.post({ text: "1" })).toMatchObject({ outcome: "replayed", body: end.body });
  expect((await gateway.post({ text: "2" })).body).toContain("1. Know More");
  expect((await gateway.post({ text: "" })).body).toContain("1. Know More");
});

test("a session expires by the clock even if no alarm ran, and by the alarm [PH-77, PH-98]", async () => {
  for (const rings of [false, true]) {
    const gateway = await createUssdGateway();
    const { caller } = await loggedIn(gateway);
    gateway.clock.advance(179_999);
    expect((await gateway.session("s1").describe(false))?.isAuthenticated).toBe(true);
    gateway.clock.advance(1);
    if (rings) await gateway.ringAlarms();
    await gateway.settled();
    expect(await gateway.session("s1").describe(false)).toBeNull();
    expect((await gateway.accounts.operators.activeSessions()).ok).toBe(true);
    const again = await gateway.post({ text: `${caller.text}*3` });
    expect(again.body).not.toContain("My records");
    expect((await gateway.session("s1").describe(false))?.isAuthenticated).toBe(false);
  }
});

test("an object erases itself when nothing in it can be resumed [PH-86]", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ text: "" });
  await gateway.settled();
  for (let minute = 0; minute < 20; minute += 1) {
    gateway.clock.advance(60_000);
    await gateway.ringAlarms();
  }
  expect(gateway.stored()).toEqual([]);
});

test("a draft is offered once, to its phone and code, until it expires [PH-79]", async () => {
  const gateway = await createUssdGateway();
  const first = phone(gateway, "a");
  await first.dial();
  await first.type("2", "2", "John Doe");
  await gateway.settled();
  const offers = async (sessionId: string, more: object = {}) => {
    const { body } = await gateway.post({ sessionId, text: "", ...more });
    await gateway.settled();
    return body.includes("9. Continue where you left off");
  };
  expect(await offers("b", { phoneNumber: "+260971239999" })).toBe(false);
  expect(await offers("c", { serviceCode: "*99#" })).toBe(false);
  expect(await offers("d")).toBe(true);
  // The session that it was taken from has ended.
  expect(await gateway.session("a").describe(false)).toBeNull();
  // A draft that was not resumed is passed on, and so is one that was resumed and left again.
  expect(await offers("e")).toBe(true);
  expect((await gateway.post({ sessionId: "e", text: "9" })).body).toContain("Enter your email address");
  await gateway.settled();
  expect(await offers("f")).toBe(true);
  gateway.clock.advance(900_000);
  expect(await offers("g")).toBe(false);
});

test("exit deletes the draft; states without typed data leave none [PH-80]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway, "a");
  await caller.dial();
  await caller.type("2", "2", "John Doe", "*");
  await gateway.settled();
  const next = phone(gateway, "b");
  expect((await next.dial()).body).not.toContain("9.");
  await next.type("2", "2");
  await gateway.settled();
  expect((await phone(gateway, "c").dial()).body).not.toContain("9.");
});

test("an invalid text closes the session of its binding, as a hang-up does; both keep the draft [PH-11, PH-20]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway, "a");
  await caller.dial();
  await caller.type("2", "2", "John Doe");
  await gateway.session("a").close({ sessionId: "a", serviceCode: "*2233#", phoneNumber: "+260971239999" });
  expect(await gateway.session("a").describe(false)).not.toBeNull();
  await gateway.session("a").close({ sessionId: "a", serviceCode: "*2233#", phoneNumber: PHONE });
  expect(await gateway.session("a").describe(false)).toBeNull();
  await gateway.settled();
  const dialled = await gateway.post({ sessionId: "b", text: "", provider: "airtel" });
  expect(dialled.body).toContain("9. Continue");
  await gateway.session(sessionName({ provider: "airtel", sessionId: "b" })).hangUp({ provider: "airtel" });
  await gateway.settled();
  expect((await phone(gateway, "c").dial()).body).toContain("9. Continue");
  expect(gateway.reports.map(({ ending }) => ending)).toEqual(["error", "dropped"]);
});

test("a hang-up from another gateway or for another phone does not affect the session [PH-20]", async () => {
  const gateway = await createUssdGateway();
  await gateway.post({ sessionId: "own", text: "", provider: "hubtel" });
  const own = gateway.session(sessionName({ provider: "hubtel", sessionId: "own" }));
  await own.hangUp({ provider: "infobip" });
  await own.hangUp({ provider: "hubtel", phoneNumber: "+260971239999" });
  expect(await own.describe(false)).not.toBeNull();
  await own.hangUp({ provider: "hubtel", phoneNumber: PHONE });
  expect(await own.describe(false)).toBeNull();
  // A session without an adapter is ended by a report that names its phone, as Africa's Talking sends it.
  await phone(gateway, "plain").dial();
  await gateway.session("plain").hangUp({ provider: "infobip" });
  expect(await gateway.session("plain").describe(false)).not.toBeNull();
  await gateway.session("plain").hangUp({ provider: "africas-talking", phoneNumber: PHONE });
  expect(await gateway.session("plain").describe(false)).toBeNull();
});

test.each([0, MACHINE_VERSION - 1, MACHINE_VERSION + 1])(
  "menus of version %i: the session starts again, logged out, with its draft, and the input is not applied [PH-83]",
  async (version) => {
    const gateway = await createUssdGateway();
    const caller = phone(gateway);
    await caller.dial();
    await caller.type("2", "2", "John Doe");
    gateway.restart();
    gateway.changeStored("s1", (record) => ({ ...record, machine: { ...(record["machine"] as object), version } }));
    const { body } = await caller.type("john@test.com");
    expect(body).toMatch(/^The menu was updated\.\n\nWelcome to Digital Services/);
    expect((await caller.type("9")).body).toContain("Enter your email address");
  },
);

test("an unreadable stored machine starts again like one of another version [PH-84]", async () => {
  const gateway = await createUssdGateway();
  const { caller } = await loggedIn(gateway);
  gateway.restart();
  gateway.changeStored("s1", (record) => ({
    ...record,
    machine: { version: MACHINE_VERSION, snapshot: { broken: true }, pages: {} },
  }));
  expect((await caller.type("3")).body).toMatch(/^The menu was updated\./);
  expect((await gateway.session("s1").describe(false))?.isAuthenticated).toBe(false);
});

test("operators see the state by its published name; masked, without personal data [PH-96, PH-97]", async () => {
  const gateway = await createUssdGateway();
  const customerId = await customerIn(gateway);
  expect(await gateway.session("nobody").describe(false)).toBeNull();
  const caller = phone(gateway);
  await caller.dial();
  expect(await gateway.session("s1").describe(false)).toEqual({
    sessionId: "s1",
    phoneNumber: PHONE,
    serviceCode: "*2233#",
    state: "preMenu",
    path: "preMenu",
    isAuthenticated: false,
    sessionStartTime: new Date(gateway.clock.now()).toISOString(),
    message: "Welcome to Digital Services\n1. Know More\n2. Account Menu\n*. Exit",
  });
  await caller.type("2", "1", customerId, "43219");
  for (const isEvicted of [false, true]) {
    if (isEvicted) gateway.restart();
    const masked = await gateway.session("s1").describe(true);
    expect(masked).toMatchObject({ state: "login", path: "login.loginSuccess", isAuthenticated: true });
    expect(masked?.message).toBe(
      "Welcome, ***!\nLogin successful for Customer ID: ***.\n1. Continue\n0. Back\n*. Exit",
    );
  }
});

test("each session reports its counts once, when it has ended [PH-103]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("2", "7", "2", "John Doe", "00", "43219", "43219", "*");
  await gateway.settled();
  expect(gateway.reports).toHaveLength(1);
  expect(gateway.reports[0]).toMatchObject({
    ending: "exit",
    lastScreen: "X",
    language: "en",
    steps: 9,
    milestones: { account_created: 1 },
    screens: { W: { shown: 1, refused: 0 }, A: { shown: 2, refused: 1 }, K: { shown: 1, refused: 0 } },
  });
});

test("an unreadable record counts as no session: the caller dials again, and no failure is permanent [PH-84]", async () => {
  const gateway = await createUssdGateway();
  const caller = phone(gateway);
  await caller.dial();
  await caller.type("1");
  gateway.restart();
  gateway.changeStored("s1", (record) => ({ ...record, status: "asleep" }));
  expect(await gateway.session("s1").describe(false)).toBeNull();
  expect((await gateway.post({ text: "" })).body).toMatch(/^Welcome to Digital Services\n1\. Know More/);
  expect((await gateway.post({ text: "1" })).body).toContain(SCREENS.I);
});

test("an input without a code gets the code of its session, and is rejected without a session [PH-18]", async () => {
  const gateway = await createUssdGateway();
  const latest = { mode: "latest", provider: "infobip" } as const;
  await gateway.post({ ...latest, text: "" });
  const input = { ...latest, serviceCode: "*0#", codeUnknown: true } as const;
  expect((await gateway.post({ ...input, text: "1" })).body).toContain(SCREENS.I);
  expect(await gateway.post({ ...input, sessionId: "nobody", text: "1" })).toMatchObject({
    kind: "END",
    body: "Invalid input. Please try again.",
    outcome: "refused",
  });
});
