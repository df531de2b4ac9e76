/** The gate's view of the subscription service. */
import { expect, it } from "vitest";
import { createLogger } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { runtimeContext } from "../../../test/support/plugins/small-plugins.ts";
import {
  createSubscriptions,
  INACTIVE,
  NO_SUBSCRIPTION,
  REPORT_LIFETIME_MS,
  SUBSCRIPTION_BYTES,
  SUBSCRIPTION_TIME_LIMIT_MS,
  UNCHECKED,
} from "./subscription.ts";

const SERVICE = "https://subscriptions.example/base/";

function reading(answer: () => Response | Promise<Response>, minted: Result<string> = success("token")) {
  const requests: { url: string; init: RequestInit }[] = [];
  const wanted: unknown[] = [];
  const lines: string[] = [];
  let time = 1_000;
  const read = createSubscriptions({
    async fetch(url, init) {
      requests.push({ url, init });
      return answer();
    },
    now: () => time,
  });
  const base = runtimeContext();
  const ucan = {
    ...base.ucan,
    async mintInvocation(origin: string, capability: { can: string; with: string }) {
      wanted.push({ origin, ...capability });
      return minted;
    },
  };
  const logger = createLogger({}, (_level, line) => lines.push(line));
  return {
    requests,
    wanted,
    lines,
    ask: (did = "did:key:zPayer") => read({ ucan, logger, user: { ...base.user, payer: did } }, SERVICE),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

const plan = (body: unknown) => () => Response.json(body);

it("asks as the user, with an invocation minted for the service [OR-346]", async () => {
  const { ask, requests, wanted } = reading(plan({ status: "active", totalCredits: 12.5, currentPlan: "pro" }));
  expect(await ask()).toEqual(success({ credits: 12_500_000, readAt: 1_000 }));
  expect(wanted).toEqual([
    { origin: "https://subscriptions.example", can: "subscriptions/read", with: "ixo:subscriptions" },
  ]);
  expect(requests).toMatchObject([
    {
      url: "https://subscriptions.example/base/api/v1/subscriptions",
      init: { headers: { Authorization: "Bearer token", "X-Auth-Type": "ucan" }, redirect: "manual" },
    },
  ]);
});

it.each([
  ["trial", plan({ status: "trial", totalCredits: 1 }), undefined],
  ["inactive", plan({ status: "inactive", totalCredits: 100 }), INACTIVE],
  ["processing", plan({ status: "processing", totalCredits: 100 }), INACTIVE],
  ["missing", () => new Response("", { status: 404 }), NO_SUBSCRIPTION],
  ["broken", () => new Response("", { status: 500 }), UNCHECKED],
  ["moved", () => new Response("", { status: 302, headers: { Location: "https://elsewhere.example" } }), UNCHECKED],
  ["of another form", plan({ subscriptions: [] }), UNCHECKED],
  ["no JSON", () => new Response("<html>"), UNCHECKED],
  ["too long", () => new Response("x".repeat(SUBSCRIPTION_BYTES + 1)), UNCHECKED],
  ["out of reach", () => Promise.reject(new TypeError("network")), UNCHECKED],
])("a subscription that is %s [OR-346]", async (_, answer, refusal) => {
  const { ask } = reading(answer);
  const read = await ask();
  expect(read.ok ? undefined : read.error).toBe(refusal);
});

it("uses the sentences that clients know, and limits of 3 minutes, 5 seconds and 64 KiB [OR-346]", () => {
  expect([NO_SUBSCRIPTION, INACTIVE, UNCHECKED]).toEqual([
    "No subscription for this account",
    "The subscription is not active",
    "The subscription could not be checked",
  ]);
  expect([REPORT_LIFETIME_MS, SUBSCRIPTION_TIME_LIMIT_MS, SUBSCRIPTION_BYTES]).toEqual([180_000, 5_000, 65_536]);
});

it("an answer is cached for three minutes, for that payer only [OR-346]", async () => {
  const { ask, requests, pass } = reading(plan({ status: "active", totalCredits: 1 }));
  await ask();
  pass(REPORT_LIFETIME_MS - 1);
  await ask();
  expect(requests).toHaveLength(1);
  await ask("did:key:zOther");
  pass(1);
  await ask();
  expect(requests).toHaveLength(3);
});

it("an answer that could not be checked is not cached; without the user's permission, the service is not asked [OR-346]", async () => {
  const broken = reading(() => new Response("", { status: 503 }));
  await broken.ask();
  await broken.ask();
  expect(broken.requests).toHaveLength(2);
  expect(broken.lines.join()).not.toContain("token");
  const refused = failure({ code: "forbidden", message: "not permitted" } as const);
  const unpermitted = reading(plan({}), refused);
  expect(await unpermitted.ask()).toEqual(failure(UNCHECKED));
  expect(unpermitted.requests).toEqual([]);
});
