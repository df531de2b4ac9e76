/** The handset sends what `npm run ussd` sends, and reads replies as it does. */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as terminal from "../../../scripts/ussd/formats.ts";
import { gatewayFormats, type FormatName } from "./gateway-format.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const pairs: readonly (readonly [FormatName, terminal.GatewayFormat])[] = [
  ["json", terminal.jsonFormat],
  ["form", terminal.formFormat],
  ["africas-talking", terminal.providerFormats["africas-talking"]],
  ["airtel", terminal.providerFormats.airtel],
  ["hubtel", terminal.providerFormats.hubtel],
  ["infobip", terminal.providerFormats.infobip],
];

const step = fc.record({
  sessionId: fc.string({ minLength: 1 }),
  phoneNumber: fc.constantFrom("+260971230001", "260971230001"),
  serviceCode: fc.constantFrom("*2233#", "*384*7#"),
  text: fc.oneof(fc.constantFrom("", "1", "2*1", "00"), fc.string({ unit: "binary" })),
  isDial: fc.boolean(),
  sequence: fc.integer({ min: 1, max: 99 }),
});

test.each(pairs)("%s: the same requests as the terminal's phone", (name, theirs) => {
  fc.assert(
    fc.property(step, (step) => {
      const { path, ...rest } = theirs.request(step);
      expect(gatewayFormats[name].request(step)).toEqual({ path: `/api/ussd${path}`, ...rest });
    }),
    { numRuns },
  );
  expect((gatewayFormats[name] as terminal.GatewayFormat).mode).toBe(theirs.mode);
});

const answers = fc.oneof(
  fc.string(),
  fc.constantFrom("CON a\nb", "END ", "CONa", "{}", "null", "[]", '{"Type":"response","Message":"a"}'),
  fc.json(),
  fc
    .record({ Type: fc.constantFrom("response", "release", "x"), Message: fc.string() })
    .map((body) => JSON.stringify(body)),
  fc.record({ shouldClose: fc.boolean(), ussdMenu: fc.string() }).map((body) => JSON.stringify(body)),
);

test.each(pairs)("%s: the same replies as the terminal's phone", (name, theirs) => {
  const freeflow = fc.constantFrom({}, { Freeflow: "FC" }, { Freeflow: "FB" }, { Freeflow: "x" });
  fc.assert(
    fc.property(answers, freeflow, (text, fields) => {
      const headers = new Headers(fields as Record<string, string>);
      expect(gatewayFormats[name].reply(text, headers)).toEqual(theirs.reply(text, headers));
    }),
    { numRuns },
  );
});
