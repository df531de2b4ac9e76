/** The grammar of DIDs by the ABNF of W3C DID Core section 3.1. */
import { expect, test } from "vitest";
import { isDid, LONGEST_DID } from "./did.ts";

test.each([
  "did:ixo:entity:a1fcead81eab2f1158a726597d872413",
  "did:key:z6MkvhRxmWDdcMiCPHDdLci5DoCEXfgPtph4UiNVcKQSs4Zp",
  "did:web:example.org%3A8443:user:alice",
  "did:x:::a",
  "did:9:_.-",
  `did:x:${"a".repeat(LONGEST_DID - 6)}`,
])("accepts %s", (text) => {
  expect(isDid(text)).toBe(true);
});

test.each([
  "",
  "did",
  "did:x",
  "did:x:",
  "did:x:a:",
  "did:X:a",
  "DID:x:a",
  "did:x:a/b",
  "did:x:a?b",
  "did:x:a#b",
  "did:x:a b",
  "did:x:%2",
  "did:x:%zz",
  "did:x:é",
  " did:x:a",
  "did:x:a\n",
  `did:x:${"a".repeat(LONGEST_DID - 5)}`,
])("rejects %j", (text) => {
  expect(isDid(text)).toBe(false);
});

// A regular expression that backtracks exponentially would run into the test's timeout.
test("a hostile text is refused", () => {
  expect(isDid(`did:x:${"a:".repeat(250)}/`)).toBe(false);
});
