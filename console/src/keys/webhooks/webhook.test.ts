import { expect, test } from "vitest";
import createWebhook from "../../api/forms/create-webhook.json" with { type: "json" };
import { actions, outcomeInWords, refreshEvery, typeInWords } from "./webhook.ts";

test("every action of the registry has a text, and there is no other", () => {
  expect(actions).toEqual(createWebhook.properties.actions.items.enum);
});

test.each([
  ["webhook.ping", "Test message"],
  ["domain.verification-lost", "Domain: verification ended by a change"],
  ["domain.of-a-later-release", "domain.of-a-later-release"],
])("a delivery of type %s is called %s", (type, words) => {
  expect(typeInWords(type)).toBe(words);
});

test.each([
  [null, null, ""],
  [204, null, "answered 204"],
  [500, "status", "answered 500"],
  [307, "redirect", "answered with a redirect, which is not followed"],
  [null, "timeout", "no answer within 15 s"],
  [null, "something new", "something new"],
])("an attempt with status %s and reason %s: %s", (lastStatus, lastReason, words) => {
  expect(outcomeInWords({ lastStatus, lastReason })).toBe(words);
});

test("a message is polled each second once its attempt is at most ten seconds away", () => {
  const now = Date.parse("2027-01-10T12:00:00Z");
  const ahead = (milliseconds: number): number => refreshEvery(new Date(now + milliseconds).toISOString(), now);
  expect([refreshEvery(null, now), ahead(10_001), ahead(10_000), ahead(-1)]).toEqual([5_000, 5_000, 1_000, 1_000]);
});
