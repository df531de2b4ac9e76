import { lexer } from "marked";
import { expect, test } from "vitest";
import { DEEPEST, isTooDeep, plainText, safeLink } from "./safe-markdown.ts";

test.each([
  ["https://example.org/a?b=1", "https://example.org/a?b=1"],
  ["http://example.org", "http://example.org/"],
  ["mailto:ada@example.org", "mailto:ada@example.org"],
  ["HTTPS://Example.org/", "https://example.org/"],
])("a link to %s is kept [CN-133]", (href, address) => {
  expect(safeLink(href)).toBe(address);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " java\nscript:alert(1)",
  "data:text/html,<script>1</script>",
  "blob:https://example.org/1",
  "vbscript:x",
  "file:///etc/passwd",
  "/console/keys",
  "//example.org",
  "",
])("a link to %j is removed [CN-133]", (href) => {
  expect(safeLink(href)).toBeUndefined();
});

test("usual entities become characters, and others are unchanged [CN-133]", () => {
  expect(plainText("a &lt;b&gt; &amp;amp; &copy;")).toBe("a <b> &amp; &copy;");
});

// More levels than any stack holds: compiled code needs far less stack for a quote than for a list.
test.each([
  [">", 20_000],
  ["> ", 20_000],
  ["- ", 3_000],
  ["* ", 3_000],
  ["1. ", 3_000],
])("%j nested is Markdown to 25 levels and text beyond [CN-196]", (mark, tooMany) => {
  expect(DEEPEST).toBe(25);
  const nested = (levels: number): string => `Look:\n\n${mark.repeat(levels)}here`;
  expect(isTooDeep(nested(DEEPEST))).toBe(false);
  expect(() => lexer(nested(DEEPEST))).not.toThrow();
  expect(isTooDeep(nested(DEEPEST + 1))).toBe(true);
  // Explains the limit.
  expect(() => lexer(nested(tooMany))).toThrow(RangeError);
});

test("ever deeper lists are text, rules and code are not [CN-196]", () => {
  const list = (levels: number): string =>
    Array.from({ length: levels }, (_, level) => `${"  ".repeat(level)}- a`).join("\n");
  expect(isTooDeep(list(20))).toBe(false);
  expect(isTooDeep(list(500))).toBe(true);
  expect(isTooDeep(`${"-".repeat(80)}\n${"*".repeat(80)}\n\n\`\`\`\n${" ".repeat(40)}return 1;\n\`\`\``)).toBe(false);
});
