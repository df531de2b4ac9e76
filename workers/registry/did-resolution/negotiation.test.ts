/**
 * Negotiation of any Accept header. test/workers/registry/did-resolution.test.ts checks the media types of responses.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { errorType, negotiate } from "./negotiation.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const types = ["application/json", "application/did", "application/did+json", "application/did-resolution"] as const;
const piece = fc.constantFrom(...types, "text/html", "*/*", ";", ",", "q=", "0.5", '"', "=", " ", "profile", "é");

test("any header selects a form, or the refusal that no form is acceptable", () => {
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const accept = pieces.join("");
      const form = negotiate(accept);
      expect(typeof form === "object" ? form.contentType : form).toMatch(
        /^(application\/|dereferencing$|not-acceptable$)/,
      );
      expect(["application/json", "application/did-resolution"]).toContain(errorType(accept));
    }),
    { numRuns },
  );
});

test("selects the highest quality, and the first of equal ones", () => {
  const weights = fc
    .uniqueArray(fc.constantFrom(...types), { minLength: 1 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((type) => fc.record({ type: fc.constant(type), quality: fc.integer({ min: 1, max: 9 }) })),
      ),
    );
  fc.assert(
    fc.property(weights, (ranges) => {
      const accept = ranges.map(({ type, quality }) => `${type};q=0.${quality}`).join(", ");
      const greatest = Math.max(...ranges.map(({ quality }) => quality));
      const wanted = ranges.find(({ quality }) => quality === greatest)?.type;
      expect(negotiate(accept)).toMatchObject({ contentType: wanted });
    }),
    { numRuns },
  );
});
