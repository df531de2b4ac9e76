/** Conversion of metadata to a Markdown file and back. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { domainId, domainRecord } from "../../../test/support/registry/domain-records.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { detailsOfMetadata } from "./metadata.ts";
import { readDomainMd, writeDomainMd } from "./domain-md.ts";
import { YAML_LENGTH } from "./yaml-text.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 100);
const id = domainId(1);
const written = (metadata: JsonObject) => writeDomainMd(domainRecord(1, { metadata }));

test("writes metadata as front matter, its body as text, and the record's facts", () => {
  const text = written({
    name: "Stoves",
    tags: ["a", "b"],
    at: { lat: 1.5, none: null, list: [{ x: 1 }, []] },
    body: "# Hello\n\n---\nend",
  });
  expect(text).toBe(`---
_domain:
  id: "${id}"
  type: "Project"
  class: "did:ixo:protocol/clean-cooking"
  controllers: ["did:key:controller"]
  status: "active"
  verificationStatus: "AwaitingVerification"
  verifiedVersion: null
  changedSinceVerification: []
  validFrom: null
  validUntil: null
  version: 1
  versionId: "${"0".repeat(64)}"
  updatedAt: "2023-11-14T22:13:21Z"
name: "Stoves"
tags: ["a", "b"]
at:
  lat: 1.5
  none: null
  list:
    -
      x: 1
    - []
---

# Hello

---
end
`);
});

const texts = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "---",
    "\n---\n",
    "...",
    "<script>",
    "# x",
    "*a",
    "&a",
    "!t",
    "yes",
    "null",
    "~",
    "1",
    "",
    "\n",
    "a\n",
    "\u2028",
    "\u0085",
    "\ufeff",
    "- a",
    "a: b",
    "{a}",
    "? a",
    "|",
    ">",
    "%TAG",
    "@",
    "`",
  ),
);
const names = fc.oneof(
  texts.filter((name) => name !== "__proto__"),
  fc.constantFrom(
    "name",
    "description",
    "body",
    "_domain",
    "__domain",
    "_domains",
    "y",
    "No",
    "<<",
    "\u0001".repeat(256),
  ),
);
const value = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(names, tie("any"), { maxKeys: 3 }),
  ),
})).any;
const anyMetadata = fc.oneof(
  fc.dictionary(names, value, { maxKeys: 5 }),
  fc.record({ name: texts, description: texts, body: texts }, { requiredKeys: [] }),
) as fc.Arbitrary<JsonObject>;

test("reads the metadata that it wrote [RG-137]", () => {
  fc.assert(
    fc.property(anyMetadata, (metadata) => {
      const plain = JSON.parse(JSON.stringify(metadata)) as JsonObject;
      if (detailsOfMetadata(plain).some(({ reason }) => reason === "format")) return;
      expect(readDomainMd(written(plain), id)).toEqual({ ok: true, value: plain });
    }),
    { numRuns },
  );
});

test("reads back metadata that consists of brackets", () => {
  let deep: unknown[] = Array.from({ length: 20_000 }, () => []);
  for (let level = 0; level < 12; level += 1) deep = [deep];
  expect(readDomainMd(written({ deep } as JsonObject), id)).toEqual({ ok: true, value: { deep } });
});

test("no name or text can end the front matter early", () => {
  fc.assert(
    fc.property(texts, texts, (name, description) => {
      const lines = written({ name, description }).split("\n");
      const end = lines.indexOf("---", 1);
      const front = parseDocument(lines.slice(1, end).join("\n")).toJS() as JsonObject;
      expect([front["name"], front["description"]]).toEqual([name, description]);
      expect(lines.slice(end + 1).join("\n")).not.toMatch(/<|(?<!\\)[[\]`*]/);
    }),
    { numRuns },
  );
});

test("a domain without a body shows its name and description as text", () => {
  const text = written({ name: "<b>A</b>\n# [x](javascript:1)", description: "https://a.test *now*" });
  expect(text.slice(text.indexOf("---\n\n"))).toBe(
    "---\n\n# &lt;b&gt;A&lt;\\/b&gt; \\# \\[x\\]\\(javascript\\:1\\)\n\nhttps\\:\\/\\/a\\.test \\*now\\*\n",
  );
});

describe("a file that a person wrote [RG-138]", () => {
  test.each<[string, JsonObject]>([
    [
      "---\nname: Clean Cooking\ntags: [a, b]\n---\n# Hi\n\nText",
      { name: "Clean Cooking", tags: ["a", "b"], body: "# Hi\n\nText" },
    ],
    ["---\r\nname: x\r\n---\r\n\r\nBody\r\nmore\r\n", { name: "x", body: "Body\nmore" }],
    ["---\n---\n", {}],
    ["---\n---", {}],
    ["---\n# only a comment\n---\n", {}],
    [
      "---\ntext: |\n  two\n  lines\nday: 2026-01-01\nyes: no\n---",
      { text: "two\nlines\n", day: "2026-01-01", yes: "no" },
    ],
    [`---\n_domain: {id: "${id}", version: 9}\n__domain: mine\n---\n`, { _domain: "mine" }],
  ])("%j", (text, metadata) => {
    expect(readDomainMd(text, id)).toEqual({ ok: true, value: metadata });
  });

  test.each<[string, RegExp]>([
    ["name: x", /between two lines/],
    ["---\nname: x", /between two lines/],
    ["---\n- a\n---\n", /map/],
    ["---\na: 1\na: 2\n---\n", /once/],
    ["---\nx: {a: 1, a: 2}\n---\n", /once/],
    ["---\na: &x 1\nb: *x\n---\n", /anchors|aliases/],
    ["---\na: !!js/function x\n---\n", /tags|YAML/],
    ["---\na: !!binary aGk=\n---\n", /tags|YAML/],
    ["---\n1: a\n---\n", /quote/],
    ["---\n[a]: b\n---\n", /quote/],
    ["---\na: [\n---\n", /YAML/],
    ["---\na: .inf\n---\n", /number/],
    ["---\n__proto__: {admin: true}\n---\n", /__proto__/],
    ["---\nbody: a\n---\nb", /remove it from the front matter/],
    ["---\n_domain: {id: did:ixo:entity:other}\n---\n", /another domain/],
    [`---\nname: ${"x".repeat(65_536)}\n---\n`, /65536 bytes/],
  ])("%j is refused", (text, reason) => {
    const read = readDomainMd(text, id);
    expect(read).toMatchObject({ ok: false, error: { message: expect.stringMatching(reason) } });
  });

  // Some of these overflow the parser's stack, or take it minutes, unless the text is checked first.
  test.each(["[", "{a: ", "- ", "? ", "a:\n "])("all that a front matter may have of %j is refused", (piece) => {
    const text = `---\n${piece.repeat(Math.floor((YAML_LENGTH - 1) / piece.length))}\n---\n`;
    expect(readDomainMd(text, id).ok).toBe(false);
  });

  test("a front matter has its bound, the body none but the file's", () => {
    const front = (length: number) => `---\n${"#".padEnd(length - 1)}\n---\n`;
    expect(readDomainMd(front(YAML_LENGTH), id)).toEqual({ ok: true, value: {} });
    expect(readDomainMd(front(YAML_LENGTH + 1), id)).toMatchObject({ ok: false });
  });
});
