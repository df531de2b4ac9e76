/** Security notices in the Workers runtime: a real outbox, its alarm and D1, the deployed accounts and cron. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createUssdApp } from "../../../workers/ussd/app.ts";
import { openAccounts } from "../../../workers/ussd/deployment.ts";
import { openSecurityNoticeTrigger } from "../../../workers/ussd/sms/outbox.ts";
import { fakeSms, smsVariables } from "../../support/ussd/fake-sms.ts";
import { newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../support/ussd/accounts.ts";

/** A deployment with credentials and a fake provider. */
const deployment = { ...env, ...smsVariables, OUTBOX: env.SCRIPTED_OUTBOX } as unknown as Env;

async function deployed(bindings: Env) {
  const accounts = await openAccounts(bindings);
  if (!accounts.ok) throw new Error("misconfigured");
  return accounts.value;
}

/** The messages to a phone. */
const sentTo = (phoneNumber: string) =>
  fakeSms.received.filter(({ to }) => to === phoneNumber).map(({ message }) => message);

let caller = newCaller();
let customerId = "";
beforeEach(async () => {
  caller = newCaller();
  const { port } = await testAccounts(env.DATABASE);
  customerId = await newCustomer(port, caller);
});

test("a login from a new phone triggers a notice at once [PH-108, PH-110]", async () => {
  const { port } = await deployed(deployment);
  const attempt = { caller: newCaller(), customerId, pin: PIN };
  expect(await valueOf(port.login(attempt))).toMatchObject({ state: "accepted" });
  await expect.poll(() => sentTo(caller.phoneNumber)).toEqual([expect.stringContaining("from a new phone")]);
});

test("the cron sends a notice for an event whose trigger was lost, once, whatever is lost meanwhile [PH-110]", async () => {
  const { port } = await testAccounts(env.DATABASE, { clock: { now: Date.now() } });
  const stranger = newCaller();
  for (const pin of ["99999", "99998", "99997"]) await valueOf(port.login({ caller: stranger, customerId, pin }));
  const { scheduled } = createUssdApp();
  await scheduled(deployment, { waitUntil: () => undefined });
  await expect.poll(() => sentTo(caller.phoneNumber)).toEqual([expect.stringContaining("too many wrong PINs")]);
  await evictDurableObject(env.SCRIPTED_OUTBOX.getByName("sms"));
  await scheduled(deployment, { waitUntil: () => undefined });
  // A later notice is sent, so the earlier one has been read.
  const other = newCaller();
  const otherId = await newCustomer(port, other);
  await valueOf(port.login({ caller: newCaller(), customerId: otherId, pin: PIN }));
  await scheduled(deployment, { waitUntil: () => undefined });
  // Its Customer ID, and the login.
  await expect.poll(() => sentTo(other.phoneNumber)).toHaveLength(2);
  expect(sentTo(caller.phoneNumber)).toHaveLength(1);
});

test("losing an outbox fails no step [PH-110]", async () => {
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
  await createUssdApp().scheduled(lost, { waitUntil: () => undefined });
});

test("without credentials there is no trigger [PH-105]", () => {
  expect(openSecurityNoticeTrigger(env, { AFRICAS_TALKING_API_KEY: undefined })).toBeUndefined();
});
