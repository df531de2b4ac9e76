import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../limits.ts";
import { holdsControl, createRouteTable } from "./route-table.ts";
import { writePath, parseTemplate, type Template } from "./template.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

function templateOf(text: string): Template {
  const template = parseTemplate(text);
  if (!template.ok) throw new Error(`${text}: ${template.error}`);
  return template.value;
}

describe("a written path", () => {
  test.each([
    ["/a/{x}", ["did:ixo:a#b/c \u00e9"], "/a/did%3Aixo%3Aa%23b%2Fc%20%C3%A9"],
    ["/a/{x=**}/t", ["b/c d"], "/a/b/c%20d/t"],
    ["/a/{x=**}/t", [""], "/a/t"],
    ["/{x=s/*/b/**}:do", ["s/1/b/2/3"], "/s/1/b/2/3:do"],
    ["/a/{x}", [""], "/a/"],
    ["/{x}/{y}", ["1", "2"], "/1/2"],
  ])("%s with %j", (text, values, path) => {
    expect(writePath(templateOf(text), values)).toBe(path);
  });

  test.each([
    ["/a/*", []],
    ["/a/{x}", ["."]],
    ["/a/{x}/b", [""]],
    ["/a/{x}:do", [""]],
    ["/a/{x=**}", ["b//c"]],
    ["/a/{x=**}", ["../b"]],
    ["/{x=s/*}", ["s/1/2"]],
    ["/{x=s/*}", ["t/1"]],
    ["/{x=s/**/e}", ["s"]],
  ])("there is none: %s with %j", (text, values) => {
    expect(writePath(templateOf(text), values)).toBeUndefined();
  });

  test("leads back to the values, through a URL", () => {
    const texts = ["/a/{x}", "/a/{x}/b/{y}", "/a/{x=**}", "/a/{x=**}/t", "/a/{x}/{y=**}/t:do", "/{x=s/*}/t"];
    const value = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("a/b", ":", "a:do", "%2F", "did:ixo:x#y", "", "s/q"),
    );
    fc.assert(
      fc.property(fc.constantFrom(...texts), value, value, (text, ...values) => {
        const template = templateOf(text);
        const used = values.slice(0, template.variables.length);
        const path = writePath(template, used);
        if (path === undefined) return;
        const table = createRouteTable([{ httpMethod: "GET", template }], defaultLimits);
        const match = table.match("GET", new URL(`http://h${path}`).pathname);
        const isControl = used.some(holdsControl);
        expect(match.ok ? match.value.values : match.error.code).toEqual(isControl ? "invalid_request" : used);
      }),
      { numRuns: numRuns * 5 },
    );
  });
});
