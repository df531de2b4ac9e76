/** DID URLs by the ABNF of W3C DID Core section 3.2. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { didOf, isDid, isDidUrl, LONGEST_DID } from "./did.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);

/** Texts generated from the productions of the grammar. */
const escaped = fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`);
const characters = (set: string) => fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...Array.from(set)) }, escaped);
const ALPHANUMERIC = "ABCXYZabcxyz0189";
const idText = fc.array(characters(`${ALPHANUMERIC}.-_:`), { maxLength: 20 });
const did = fc
  .tuple(
    fc.string({ unit: fc.constantFrom("a", "z", "0", "9"), minLength: 1, maxLength: 8 }),
    idText,
    characters(`${ALPHANUMERIC}.-_`),
  )
  .map(([method, id, last]) => `did:${method}:${id.join("")}${last}`);
const pathText = fc
  .array(characters(`${ALPHANUMERIC}.-_~!$&'()*+,;=:@/`), { maxLength: 20 })
  .map((parts) => parts.join(""));
const didUrl = fc
  .tuple(did, fc.option(pathText), fc.option(pathText), fc.option(pathText))
  .map(([base, path, query, fragment]) =>
    [
      base,
      path === null ? "" : `/${path}`,
      query === null ? "" : `?${query}`,
      fragment === null ? "" : `#${fragment}`,
    ].join(""),
  );

test("accepts all texts that the grammar generates, and accepts a DID as a DID URL", () => {
  fc.assert(
    fc.property(did, didUrl, (bare, url) => {
      expect(isDid(bare), bare).toBe(true);
      expect(isDidUrl(bare), bare).toBe(true);
      expect(isDidUrl(url), url).toBe(true);
      expect(isDid(url)).toBe(!/[/?#]/.test(url));
    }),
    { numRuns },
  );
});

test("one character outside the grammar makes it invalid", () => {
  const alien = fc.constantFrom(" ", "\n", '"', "<", ">", "\\", "^", "`", "{", "|", "}", "é", "\0", "%", "[", "]");
  fc.assert(
    fc.property(didUrl, alien, fc.nat(), (url, character, at) => {
      const place = at % (url.length + 1);
      const spoilt = `${url.slice(0, place)}${character}${url.slice(place)}`;
      // A second percent sign can form an escape with the two digits after it.
      fc.pre(character !== "%" || !/^[0-9A-Fa-f]{2}/.test(url.slice(place)));
      expect(isDidUrl(spoilt), spoilt).toBe(false);
    }),
    { numRuns },
  );
});

test.each(["did:ixo:protocol/clean-cooking", "did:x:a?", "did:x:a#", "did:x:a//", "did:x:a?b#c/d?e"])(
  "%s is a DID URL",
  (url) => {
    expect(isDidUrl(url)).toBe(true);
  },
);

test.each(["", "/path", "did:x:a#b#c", "did:x:a/%2", "did:x:{id}", `did:x:a/${"p".repeat(LONGEST_DID)}`])(
  "rejects %.30s",
  (url) => {
    expect(isDidUrl(url)).toBe(false);
  },
);

test("accepts at most 512 characters", () => {
  const url = `did:x:a/${"p".repeat(LONGEST_DID - "did:x:a/".length)}`;
  expect([isDidUrl(url), isDidUrl(`${url}p`)]).toEqual([true, false]);
});

// A regular expression that backtracks exponentially would run into the test's timeout.
test("hostile texts are refused", () => {
  expect(isDidUrl(`did:x:a${"/a".repeat(250)}"`)).toBe(false);
  expect(isDidUrl(`did:x:${"%41:".repeat(126)}"`)).toBe(false);
});

test("the DID of a DID URL is the part before path, query and fragment", () => {
  const urls = ["did:a:b", "did:a:b#c", "did:a:b/c#d", "did:a:b?c=/#d", "did:a:b#c/d?e"];
  expect(urls.map(didOf)).toEqual(urls.map(() => "did:a:b"));
});
