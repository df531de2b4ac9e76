import { afterEach, expect, test, vi } from "vitest";
import { outboxInNode } from "../../../test/support/registry/outbox-in-node.ts";
import {
  createFakeSmsProvider,
  type SmsResult,
  type SmsProvider,
} from "../../../test/support/ussd/fake-sms-provider.ts";
import { createSmsPort, readSms, SMS_ATTEMPTS, writeSms } from "./outbox.ts";
import {
  RESPONSE_TIMEOUT,
  createSmsSender,
  LIVE_ADDRESS,
  SANDBOX_ADDRESS,
  classifyResponse,
  type SmsCredentials,
} from "./africas-talking.ts";

afterEach(() => {
  vi.useRealTimers();
});

const TO = "+260971230001";
const TEXT = "Créer un compte: 0 EUR & plus";

function credentialsOf({ credentials }: SmsProvider): SmsCredentials {
  return {
    AFRICAS_TALKING_USERNAME: credentials.username,
    AFRICAS_TALKING_API_KEY: credentials.apiKey,
    AFRICAS_TALKING_SENDER_ID: undefined,
    AFRICAS_TALKING_URL: undefined,
  };
}

async function attempt(sender: ReturnType<typeof createSmsSender>, body = writeSms({ to: TO, text: TEXT })) {
  const receiver = await sender.open("sms");
  if (typeof receiver === "string") return receiver;
  return receiver.send({ message: { id: "m", topic: "info", body }, number: 1, secrets: [] });
}

test("a message is sent in the provider's format, and its acceptance is reported [PH-105]", async () => {
  const provider = createFakeSmsProvider();
  const urls: string[] = [];
  const sender = createSmsSender({ ...credentialsOf(provider), AFRICAS_TALKING_SENDER_ID: "TWINEDGE" }, (url, init) => {
    urls.push(url);
    return provider.fetch(url, init);
  });
  expect(await attempt(sender)).toEqual({ kind: "delivered", status: 201 });
  expect(provider.received).toEqual([{ to: TO, message: TEXT, from: "TWINEDGE" }]);
  expect(urls).toEqual([`${SANDBOX_ADDRESS}/version1/messaging`]);
});

test("the address: the sandbox's for its user, the live one for others, or the configured one", async () => {
  const urls: string[] = [];
  const fetch = async (url: string) => {
    urls.push(url);
    return new Response(null, { status: 500 });
  };
  const live = { ...credentialsOf(createFakeSmsProvider()), AFRICAS_TALKING_USERNAME: "twinedge" };
  await attempt(createSmsSender(live, fetch));
  await attempt(createSmsSender({ ...live, AFRICAS_TALKING_URL: "http://localhost:9/" }, fetch));
  expect(urls).toEqual([`${LIVE_ADDRESS}/version1/messaging`, "http://localhost:9/version1/messaging"]);
});

test("without credentials nothing is sent; an unreadable message is rejected [PH-105]", async () => {
  const provider = createFakeSmsProvider();
  expect(await attempt(createSmsSender(undefined, provider.fetch))).toBe("paused");
  const half = { ...credentialsOf(provider), AFRICAS_TALKING_API_KEY: undefined };
  expect(await attempt(createSmsSender(half, provider.fetch))).toBe("paused");
  for (const body of ["", "{}", '{"to":1,"text":"x"}']) {
    const result = await attempt(createSmsSender(credentialsOf(provider), provider.fetch), body);
    expect(result).toEqual({ kind: "refused", reason: "unreadable" });
  }
  expect(provider.received).toEqual([]);
  expect(readSms(writeSms({ to: TO, text: '\u0000"' }))).toEqual({ to: TO, text: '\u0000"' });
});

test("a wrong key is rejected, and never logged", async () => {
  const provider = createFakeSmsProvider();
  const wrong = { ...credentialsOf(provider), AFRICAS_TALKING_API_KEY: "wrong-key" };
  const result = await attempt(createSmsSender(wrong, provider.fetch));
  expect(result).toEqual({ kind: "refused", reason: "status", status: 401 });
});

test.each<[SmsResult, string, string | undefined]>([
  [{ statusCode: 100, status: "Processed" }, "delivered", undefined],
  [{ statusCode: 102, status: "Queued" }, "delivered", undefined],
  [{ statusCode: 103, status: "Unheard" }, "refused", "Unheard"],
  [{ statusCode: 403, status: "InvalidPhoneNumber" }, "refused", "InvalidPhoneNumber"],
  [{ statusCode: 405, status: "InsufficientBalance" }, "refused", "InsufficientBalance"],
  [{ statusCode: 500, status: "InternalServerError" }, "failed", "InternalServerError"],
  [{ statusCode: 501, status: "GatewayError" }, "failed", "GatewayError"],
  [{ statusCode: 502, status: "RejectedByGateway" }, "refused", "RejectedByGateway"],
  [{ statusCode: 409, status: `Not for ${TO}` }, "refused", "not-taken"],
  [{ message: "InvalidSenderId" }, "refused", "InvalidSenderId"],
  [{ http: 429 }, "failed", "status"],
  [{ http: 503 }, "failed", "status"],
  [{ http: 302 }, "refused", "status"],
  [{ http: 400 }, "refused", "status"],
  [{ http: 200, body: "<html>" }, "failed", "unreadable-answer"],
  [{ http: 201, body: "{}" }, "failed", "unreadable-answer"],
])("%o is %s [PH-105]", async (scripted, kind, reason) => {
  const provider = createFakeSmsProvider();
  provider.results.push(scripted);
  const result = await attempt(createSmsSender(credentialsOf(provider), provider.fetch));
  expect(result).toMatchObject(reason === undefined ? { kind } : { kind, reason });
  expect(JSON.stringify(result)).not.toContain(TO);
});

test("a network failure is retried [PH-105]", async () => {
  const sender = createSmsSender(credentialsOf(createFakeSmsProvider()), () => Promise.reject(new Error(TO)));
  expect(await attempt(sender)).toEqual({ kind: "failed", reason: "network" });
  expect(classifyResponse(201, '{"SMSMessageData":{"Message":"","Recipients":[]}}')).toMatchObject({
    reason: "not-taken",
  });
});

test("a provider that does not respond times out", async () => {
  vi.useFakeTimers();
  const provider = createFakeSmsProvider();
  provider.results.push("hang");
  const attempted = attempt(createSmsSender(credentialsOf(provider), provider.fetch));
  await vi.advanceTimersByTimeAsync(RESPONSE_TIMEOUT - 1);
  expect(await Promise.race([attempted, Promise.resolve("waiting")])).toBe("waiting");
  await vi.advanceTimersByTimeAsync(1);
  expect(await attempted).toEqual({ kind: "failed", reason: "timeout" });
});

/** A port over an outbox whose provider a test scripts. */
function setUp(...results: readonly SmsResult[]) {
  const provider = createFakeSmsProvider();
  provider.results.push(...results);
  const box = outboxInNode(createSmsSender(credentialsOf(provider), provider.fetch));
  const counted: string[] = [];
  const state = { limit: Infinity };
  const allowInfo = async (phoneNumber: string) => counted.push(phoneNumber) <= state.limit;
  const port = createSmsPort(() => box.core, { allowInfo });
  /** Runs from the request of a message until nothing waits. */
  async function run() {
    await expect.poll(() => box.alarmAt).toBeDefined();
    await box.run();
  }
  return {
    provider,
    box,
    counted,
    state,
    run,
    send: (messageKey = "m") => port.send({ messageKey, to: TO, text: TEXT }),
  };
}

const accepted = { ok: true, value: undefined };
const refused = { ok: false, error: expect.objectContaining({ code: "unavailable" }) };

test("a message is sent once however often it is requested, and it is not stored [PH-106]", async () => {
  const { provider, box, run, send } = setUp();
  const requests = [send(), send()];
  await run();
  expect(await Promise.all(requests)).toEqual([accepted, accepted]);
  expect(await send()).toEqual(accepted);
  expect(provider.received).toHaveLength(1);
  expect(await box.core.deliveries({ limit: 9 })).toMatchObject([{ id: "m", topic: "info", state: "delivered" }]);
  expect(box.log.join()).not.toContain(TO);
});

test("a temporary failure is retried before the outcome is reported [PH-105]", async () => {
  const { provider, run, send } = setUp({ http: 503 }, { statusCode: 501, status: "GatewayError" });
  const requests = send();
  await run();
  expect(await requests).toEqual(accepted);
  expect(provider.received).toHaveLength(3);
});

test("a rejection, or three failures, is reported; a new request tries again [PH-105]", async () => {
  const { provider, run, send } = setUp({ statusCode: 406, status: "UserInBlacklist" });
  const first = send("a");
  await run();
  expect(await first).toEqual(refused);
  provider.results.push(...Array.from({ length: SMS_ATTEMPTS }, () => ({ http: 500 })));
  const second = send("b");
  await run();
  expect(await second).toEqual(refused);
  expect(provider.received).toHaveLength(1 + SMS_ATTEMPTS);
  const again = send("b");
  await run();
  expect(await again).toEqual(accepted);
});

test("a message over the limit, or one that cannot be counted, is not sent; a message counts once [PH-107]", async () => {
  const { provider, box, counted, state, run, send } = setUp();
  state.limit = 1;
  const first = send("a");
  await run();
  expect([await first, await send("a")]).toEqual([accepted, accepted]);
  expect(await send("b")).toEqual(refused);
  expect(counted).toEqual([TO, TO]);
  expect(provider.received).toHaveLength(1);
  const uncounted = createSmsPort(() => box.core, { allowInfo: () => Promise.reject(new Error("lost")) });
  expect(await uncounted.send({ messageKey: "c", to: TO, text: TEXT })).toEqual(refused);
  expect((await box.core.summary()).pending).toBe(0);
});

test("a lost or full outbox does not count as acceptance [PH-105]", async () => {
  const limits = { allowInfo: async () => true };
  const lost = createSmsPort(() => {
    throw new Error("lost");
  }, limits);
  expect(await lost.send({ messageKey: "m", to: TO, text: TEXT })).toEqual(refused);
  const full = createSmsPort(() => outboxInNode(undefined).core, limits);
  expect(await full.send({ messageKey: "m", to: TO, text: TEXT })).toEqual(refused);
});
