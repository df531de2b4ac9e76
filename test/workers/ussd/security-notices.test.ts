/** Security notices inside workerd (decisions/004): a real outbox, its alarm and D1, the deployed accounts and cron. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createUssdApp } from "../../../workers/ussd/app.ts";
import { openAccounts } from "../../../workers/ussd/deployment.ts";
import { openSecurityNoticeTrigger } from "../../../workers/ussd/sms/outbox.ts";
import { scriptedSms, smsVariables } from "../../support/scripted-sms.ts";
import { newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../support/ussd/accounts.ts";

/** Where text messages can be sent, to a provider that the test scripts. */
const deployment = { ...env, ...smsVariables, OUTBOX: env.SCRIPTED_OUTBOX } as unknown as Env;

async function deployed(bindings: Env) {
  const accounts = await openAccounts(bindings);
  if (!accounts.ok) throw new Error("misconfigured");
  return accounts.value;
}

/** What a phone was told. */
const toldTo = (phoneNumber: string) =>
  scriptedSms.received.filter(({ to }) => to === phoneNumber).map(({ message }) => message);

let caller = newCaller();
let customerId = "";
beforeEach(async () => {
  caller = newCaller();
  const { port } = await testAccounts(env.DATABASE);
  customerId = await newCustomer(port, caller);
});

test("a login from a strange phone is told at once, by the bell", async () => {
  const { port } = await deployed(deployment);
  const attempt = { caller: newCaller(), customerId, pin: PIN };
  expect(await valueOf(port.login(attempt))).toMatchObject({ state: "accepted" });
  await expect.poll(() => toldTo(caller.phoneNumber)).toEqual([expect.stringContaining("from a new phone")]);
});

test("an act whose bell was never heard is told by the minute's work, once, whatever is lost meanwhile", async () => {
  const { port } = await testAccounts(env.DATABASE, { clock: { now: Date.now() } });
  for (const pin of ["99999", "99998", "99997"]) await valueOf(port.login({ caller: newCaller(), customerId, pin }));
  const { scheduled } = createUssdApp();
  await scheduled(deployment);
  await expect.poll(() => toldTo(caller.phoneNumber)).toEqual([expect.stringContaining("too many wrong PINs")]);
  await evictDurableObject(env.SCRIPTED_OUTBOX.getByName("sms"));
  await scheduled(deployment);
  // One that comes later is told, so the one before it was looked at.
  const other = newCaller();
  const otherId = await newCustomer(port, other);
  await valueOf(port.login({ caller: newCaller(), customerId: otherId, pin: PIN }));
  await scheduled(deployment);
  await expect.poll(() => toldTo(other.phoneNumber)).toHaveLength(1);
  expect(toldTo(caller.phoneNumber)).toHaveLength(1);
});

test("an outbox that is lost fails no step", async () => {
  const lost = {
    ...deployment,
    OUTBOX: {
      getByName() {
        throw new Error("lost");
      },
    },
  } as unknown as Env;
  const { port } = await deployed(lost);
  expect(await valueOf(port.login({ caller: newCaller(), customerId, pin: PIN }))).toMatchObject({ state: "accepted" });
  await createUssdApp().scheduled(lost);
});

test("without credentials there is no bell", () => {
  expect(openSecurityNoticeTrigger(env, { AFRICAS_TALKING_API_KEY: undefined })).toBeUndefined();
});
