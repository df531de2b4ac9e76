/** Replaced words are refused in prose and in names; similar words pass. */
import { expect, test } from "vitest";
import { wordFaults } from "./house-words.ts";

const faults = (line: string) => wordFaults("docs/page.md", `First line.\n${line}\n`);

test.each([
  "The client is told.",
  "const toldIssues = 1;",
  "const TOLD_ISSUES = 10;",
  "Told in seconds.",
  "findMisfit(value)",
  "class TokenFlaw {}",
  "readonly leftOut: number;",
  "A dropped session is gone on with.",
  "What he sent.",
  "all his sessions",
  "/** Sessions (contract/oracle.md section 4). */",
  "// As contract D, section 2, has it.",
  "Per address (decisions 1.7).",
  "By spec part C.",
  "As the contract's table has it.",
])("refused: %s", (line) => {
  expect(faults(line)).toEqual([expect.stringMatching(/^docs\/page\.md:2: /)]);
});

test("the reason names the replacement", () => {
  expect(faults("Sent anew.")).toEqual(['docs/page.md:2: instead of "anew" write: again']);
});

test.each([
  "The threshold is 5.",
  "history, this, these",
  "the header",
  '"client_tool_left_out"',
  "See decisions/010 and RFC 9110 section 15.4.",
  "/cosmwasm/wasm/v1/contract/{address}",
])("allowed: %s", (line) => {
  expect(faults(line)).toEqual([]);
});
