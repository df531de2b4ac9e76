/**
 * Cases modelled on the http_template, httprule and path_parser suites of other gateways. Where we differ: variables do
 * not nest (Vanguard nests them), and the tail of a `**` can contain `*` (Envoy refuses that, Vanguard refuses any
 * tail).
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../limits.ts";
import { holdsControl, createRouteTable } from "./route-table.ts";
import { parseTemplate, type Template, writePath } from "./template.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

function shapeOf({ segments, verb, variables }: Template) {
  const signs = { single: "*", multi: "**" };
  const pattern = segments
    .map((segment) => (segment.kind === "literal" ? segment.value : signs[segment.kind]))
    .join("/");
  const names = variables.map(({ path, start, end }) => `${path.join(".")}@${start}-${end}`);
  return [pattern, verb, names.join(" ")];
}

const valid: readonly (readonly [text: string, pattern: string, verb: string, variables: string])[] = [
  ["/shelves/{shelf}/books/{book}", "shelves/*/books/*", "", "shelf@1-2 book@3-4"],
  ["/shelves/**", "shelves/**", "", ""],
  ["/**", "**", "", ""],
  ["/a:foo", "a", "foo", ""],
  ["/a/b/c:foo", "a/b/c", "foo", ""],
  ["/*/**", "*/**", "", ""],
  ["/*/a/**", "*/a/**", "", ""],
  ["/a/{a.b.c}", "a/*", "", "a.b.c@1-2"],
  ["/a/{a.b.c=*}", "a/*", "", "a.b.c@1-2"],
  ["/a/{b=**}", "a/**", "", "b@1-2"],
  ["/a/{b=c/*}", "a/c/*", "", "b@1-3"],
  ["/a/{b=c/*/d}", "a/c/*/d", "", "b@1-4"],
  ["/a/{b=c/**}", "a/c/**", "", "b@1-3"],
  ["/a/{b=c/**}/d/e", "a/c/**/d/e", "", "b@1-3"],
  ["/a/{b=c/**/d}/e", "a/c/**/d/e", "", "b@1-4"],
  ["/a/{b=c/**/d}/e:verb", "a/c/**/d/e", "verb", "b@1-4"],
  ["/a/**/*", "a/**/*", "", ""],
  ["/*:verb", "*", "verb", ""],
  ["/**:verb", "**", "verb", ""],
  ["/{a}:verb", "*", "verb", "a@0-1"],
  ["/a/{b=*}/**:verb", "a/*/**", "verb", "b@1-2"],
  ["/{x.y.z=*/a/b}/c", "*/a/b/c", "", "x.y.z@0-3"],
  ["/{x.y.z=a/**/b}/c/d:custom", "a/**/b/c/d", "custom", "x.y.z@0-3"],
  ["/denoms/{denom=**}/total_escrow", "denoms/**/total_escrow", "", "denom@1-2"],
  ["/foo/bar/*/{thing.id}/{cat=**}:do", "foo/bar/*/*/**", "do", "thing.id@3-4 cat@4-5"],
  ["/v1/a=b/~c(d)", "v1/a=b/~c(d)", "", ""],
  ["/%65ntity/a%2Fb", "entity/a/b", "", ""],
  ["/{_x1}", "*", "", "_x1@0-1"],
];

const outright = ["", "a", "a/b", "{x}", "{x=/a}", "a/{x}/b:verb", ":verb", ":", "//", "/a/", "/a//b"];
const verbs = [
  "/:verb",
  "/a/:verb",
  "/:",
  "/*:",
  "/**:",
  "/{var}:",
  "/a/b/:",
  "/a:b:c",
  "/a:b/c",
  "/{x}:a/b",
  "/{x}:a*",
];
const braces = ["/{}", "/a/{", "/a/{var", "/a/{var.", "/a/{x=var:verb}", "/a/{var=/b}", "/a/{x=}", "/{x=a/}", "/{x.}"];
const names = ["/{.x}", "/{1x}", "/{x-y}", "/{x y}", "/{var=a/{nested=b}}", "/{book={author}/{isbn}}", "/{=a}"];
const glued = ["/a{x}", "/{x}a", "/a{x}b", "/{x}a{y}", "/a/b{x}/s", "/{x}{y}", "/a}", "/{x}}", "/a*", "/***", "/*a"];
const repeated = ["/{x}/{x}", "/{a.b}/c/{a.b=d}", "/**/**", "/{x=**}/b/{y=**}", "/a/{x=**/b/**}"];
const letters = ["/a b", "/a?b", "/a#b", "/\u00e9", "/%zz", "/%ff", "/a\u0000"];
const refused = [...outright, ...verbs, ...braces, ...names, ...glued, ...repeated, ...letters];

describe("a template [QG-5]", () => {
  test.each(valid)("%s", (text, ...shape) => {
    const template = parseTemplate(text);
    expect(template.ok && shapeOf(template.value)).toEqual(shape);
  });

  test.each(refused)("refuses %j", (text) => {
    expect(parseTemplate(text)).toEqual({ ok: false, error: expect.stringMatching(/\w/) as string });
  });

  test("reports the position of its **", () => {
    expect(parseTemplate("/a/{x=b/**}/c")).toMatchObject({ ok: true, value: { multiAt: 2 } });
    expect(parseTemplate("/a/b")).toMatchObject({ ok: true, value: { multiAt: -1 } });
  });

  test("never throws for any text", () => {
    const text = fc
      .array(fc.constantFrom("/", "{", "}", "*", ":", "=", ".", "a", "b", "%", "%41", "", " "))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (each) => {
        const template = parseTemplate(each);
        expect(template.ok ? template.value.text : template.error).toBeTypeOf("string");
      }),
      { numRuns },
    );
  });
});

test("/ alone is the root", () => {
  expect(parseTemplate("/")).toMatchObject({
    ok: true,
    value: { segments: [{ kind: "literal", value: "" }], verb: "" },
  });
});

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
  ])("does not exist: %s with %j", (text, values) => {
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
