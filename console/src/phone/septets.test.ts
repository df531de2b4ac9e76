/** The count on the screen is the server's own. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as server from "../../../durable-objects/ussd-session/texts/characters.ts";
import { NETWORK_SEPTETS, replySize, SCREEN_SEPTETS, septetsOf, units } from "./septets.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

test("any text has the size that the server gives it [CN-112]", () => {
  const mostlyGsm = fc.constantFrom(...Array.from("aZ09 \n*#€^{}[]~|\\@éàçΔß’你🙂\r\t"));
  const text = fc.oneof(fc.string({ unit: mostlyGsm }), fc.string({ unit: "binary", maxLength: 200 }));
  fc.assert(
    fc.property(text, (text) => {
      expect(septetsOf(text)).toBe(server.septetsOf(text));
      expect(replySize(text).size).toBe(server.widthOf(text));
    }),
    { numRuns },
  );
});

test("the room of a screen is the server's, in either alphabet [CN-112]", () => {
  for (let septets = 100; septets <= NETWORK_SEPTETS; septets += 1)
    expect(units(septets)).toBe(server.ucs2Limit(septets));
  expect(replySize("CON a")).toEqual({ alphabet: "GSM-7", size: 5, limit: 160, networkLimit: 182 });
  expect(replySize("CON ç")).toEqual({ alphabet: "UCS-2", size: 5, limit: 70, networkLimit: 80 });
});

test("the limit is met to the septet, as the server meets it [CN-112]", () => {
  const limit = { septets: SCREEN_SEPTETS, countPrefix: true };
  for (const body of [
    "a".repeat(156),
    "a".repeat(157),
    "€".repeat(78),
    "€".repeat(79),
    "ç".repeat(66),
    "ç".repeat(67),
  ]) {
    const { size, limit: room } = replySize(`CON ${body}`);
    expect([body.length, size <= room]).toEqual([body.length, server.fits(body, limit)]);
  }
});
