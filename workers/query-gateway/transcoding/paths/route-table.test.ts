/**
 * Cases modelled on the path_matcher, mux and router suites of other gateways. Where we differ: `%2F` is a slash under
 * every variable (Envoy keeps it under several segments); a `*` beats a `**` with the verb (Envoy prefers the latter);
 * control characters are refused (Envoy accepts them); a verb is the text after the last colon (Vanguard: the first),
 * and an unknown one is data (grpc-gateway: 501); an empty segment is never skipped.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { referenceMatch } from "../../../../test/support/query-gateway/reference-router.ts";
import { defaultLimits } from "../limits.ts";
import { createRouteTable } from "./route-table.ts";
import { parseTemplate } from "./template.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);

/** `GET /a/{x}`, or only a template for GET. */
function routeOf(text: string) {
  const [first = "", second] = text.split(" ");
  const template = parseTemplate(second ?? first);
  if (!template.ok) throw new Error(`${text}: ${template.error}`);
  return { text, httpMethod: second === undefined ? "GET" : first, template: template.value };
}

function tableOf(texts: readonly string[]) {
  return createRouteTable(texts.map(routeOf), defaultLimits);
}

/** The winner and its values, or the failure. */
function lookUp(table: ReturnType<typeof tableOf>, path: string, method = "GET") {
  const match = table.match(method, path);
  return match.ok ? [match.value.route.text, ...match.value.values] : match.error.code;
}

const bindings = tableOf([
  "/a/{x}/c/d/e",
  "/{x=a/*}/b/{y=*}/c",
  "/a/{x=b/*}/{y=d/**}",
  "/alpha/{x=*}/beta/{y=**}/gamma",
  "/{x=*}/a",
  "/{x=**}/a/b",
  "/a/b/{x=*}",
  "/a/b/c/{x=**}",
  "/{x=*}/d/e/f/{y=**}",
]);

const tails = tableOf([
  "/a/{x=b/**}",
  "/a/{x=b/**}/z",
  "/a/{x=b/**}/y/z",
  "/a/{x=b/**}:verb",
  "/a/{x=**}",
  "/c/{x=*}/{y=d/**}/e",
  "/c/{x=*}/{y=d/**}/e:verb",
  "/f/{x=*}/{y=**}/g",
  "/a/{x=b/*/y/z/**}/foo",
  "/a/{x=b/*/**/y/z}/foo",
  "/m/**/{x}/{y}",
]);

const verbs = tableOf([
  "/person",
  "/person/{id=*}",
  "/{x=**}:verb",
  "/some/const:verb",
  "/some/*:verb",
  "/some/*/foo:verb",
  "/other/**/const:verb",
  "/o/{x}:a",
  "/o/{x}",
]);

const doubled = tableOf(["/v/{a=*}/{b=*}:verb", "/w/{a=**}:verb", "/w/{a=**}", "/prefix/middle", "/prefix"]);

const rooted = tableOf(["/", "/**", "/a"]);
const all = tableOf(["/**", "/c/*/d/**", "/c/*/d/e", "/c/f/d/e"]);

type Case = readonly [table: ReturnType<typeof tableOf>, path: string, winner: readonly string[] | string];

const cases: readonly Case[] = [
  [bindings, "/a/book/c/d/e", ["/a/{x}/c/d/e", "book"]],
  [bindings, "/a/hello/b/world/c", ["/{x=a/*}/b/{y=*}/c", "a/hello", "world"]],
  [bindings, "/a/b/zoo/d/animal/tiger", ["/a/{x=b/*}/{y=d/**}", "b/zoo", "d/animal/tiger"]],
  [bindings, "/alpha/dog/beta/eat/bones/gamma", ["/alpha/{x=*}/beta/{y=**}/gamma", "dog", "eat/bones"]],
  [bindings, "/foo/a", ["/{x=*}/a", "foo"]],
  [bindings, "/foo/bar/a/b", ["/{x=**}/a/b", "foo/bar"]],
  [bindings, "/a/b/foo", ["/a/b/{x=*}", "foo"]],
  [bindings, "/a/b/c/foo/bar/baz", ["/a/b/c/{x=**}", "foo/bar/baz"]],
  [bindings, "/foo/d/e/f/bar/baz", ["/{x=*}/d/e/f/{y=**}", "foo", "bar/baz"]],
  [tails, "/a/b/hello/world/c", ["/a/{x=b/**}", "b/hello/world/c"]],
  [tails, "/a/b/world/c/z", ["/a/{x=b/**}/z", "b/world/c"]],
  [tails, "/a/b/world/c/y/z", ["/a/{x=b/**}/y/z", "b/world/c"]],
  [tails, "/a/b/world/c:verb", ["/a/{x=b/**}:verb", "b/world/c"]],
  [tails, "/a/b:verb", ["/a/{x=b/**}:verb", "b"]],
  [tails, "/a", ["/a/{x=**}", ""]],
  [tails, "/a/", ["/a/{x=**}", ""]],
  [tails, "/a/q/", ["/a/{x=**}", "q/"]],
  [tails, "/a/hello/b/world/c", ["/a/{x=**}", "hello/b/world/c"]],
  [tails, "/c/hello/d/esp/world/e", ["/c/{x=*}/{y=d/**}/e", "hello", "d/esp/world"]],
  [tails, "/c/hola/d/esp/mundo/e:verb", ["/c/{x=*}/{y=d/**}/e:verb", "hola", "d/esp/mundo"]],
  [tails, "/f/foo/bar/baz/g", ["/f/{x=*}/{y=**}/g", "foo", "bar/baz"]],
  [tails, "/a/b/foo/y/z/bar/baz/foo", ["/a/{x=b/*/y/z/**}/foo", "b/foo/y/z/bar/baz"]],
  [tails, "/a/b/foo/bar/baz/y/z/foo", ["/a/{x=b/*/**/y/z}/foo", "b/foo/bar/baz/y/z"]],
  [tails, "/m/1/2/3/4", ["/m/**/{x}/{y}", "3", "4"]],
  [tails, "/m/4", "not_found"],
  [verbs, "/person:verb", ["/{x=**}:verb", "person"]],
  [verbs, "/person/jason:other", ["/person/{id=*}", "jason:other"]],
  // A `*` beats a `**` before verbs are considered.
  [verbs, "/person/jason:verb", ["/person/{id=*}", "jason:verb"]],
  [verbs, "/animal/cat:verb", ["/{x=**}:verb", "animal/cat"]],
  [verbs, "/animal/cat", "not_found"],
  [verbs, "/person:other", "not_found"],
  [verbs, "/some/const:verb", ["/some/const:verb"]],
  [verbs, "/some/other:verb", ["/some/*:verb"]],
  [verbs, "/some/other:verb/", "not_found"],
  [verbs, "/some/bar/foo:verb", ["/some/*/foo:verb"]],
  [verbs, "/other/bar/foo/const:verb", ["/other/**/const:verb"]],
  [verbs, "/o/b:a", ["/o/{x}:a", "b"]],
  [verbs, "/o/b:%61", ["/o/{x}:a", "b"]],
  [verbs, "/o/b%3Aa", ["/o/{x}", "b:a"]],
  [verbs, "/o/:a", ["/o/{x}", ":a"]],
  [verbs, "/o/b:a:", ["/o/{x}", "b:a:"]],
  [verbs, "/o/c:b:a", ["/o/{x}:a", "c:b"]],
  [doubled, "/v/some:verb/const:verb", ["/v/{a=*}/{b=*}:verb", "some:verb", "const"]],
  [doubled, "/w/some:verb/const:verb", ["/w/{a=**}:verb", "some:verb/const"]],
  [doubled, "/w/some:verb/const", ["/w/{a=**}", "some:verb/const"]],
  [doubled, "/w/some:verb2/const:verb2", ["/w/{a=**}", "some:verb2/const:verb2"]],
  [doubled, "/prefix/middle/suffix", "not_found"],
  [doubled, "/prefix/middle", ["/prefix/middle"]],
  [doubled, "/prefix/", "not_found"],
  [all, "/", ["/**"]],
  [rooted, "/", ["/"]],
  [rooted, "/a", ["/a"]],
  [rooted, "/b", ["/**"]],
  [rooted, "/a/", ["/**"]],
  [all, "/a/", ["/**"]],
  [all, "/c/u/d/v", ["/c/*/d/**"]],
  [all, "/c/x/d/e", ["/c/*/d/e"]],
  [all, "/c/f/d/e", ["/c/f/d/e"]],
  [all, "/c//d/e", "not_found"],
  [all, "c", "not_found"],
];

describe("the winner [QG-6]", () => {
  const rows = cases.map(([table, path, winner]) => [path, winner, table] as const);
  test.each(rows)("%s: %j", (path, winner, table) => {
    expect(lookUp(table, path)).toEqual(winner);
  });

  test("a decoded slash is data under any variable", () => {
    expect(lookUp(bindings, "/a/b/p%20q%2Fr")).toEqual(["/a/b/{x=*}", "p q/r"]);
    expect(lookUp(tails, "/f/1/p%2Fq/r/g")).toEqual(["/f/{x=*}/{y=**}/g", "1", "p/q/r"]);
  });

  test("of two equal templates the earlier one wins, and the other is reported", () => {
    const table = tableOf(["/bech32/{bytes}", "/bech32/{text}", "POST /bech32/{text}"]);
    expect(lookUp(table, "/bech32/x")).toEqual(["/bech32/{bytes}", "x"]);
    expect(table.shadowed.map(({ route, by }) => [route.text, by.text])).toEqual([
      ["/bech32/{text}", "/bech32/{bytes}"],
    ]);
  });

  test("a better template without the method does not hide a worse one with it", () => {
    const table = tableOf(["/a/{x}", "POST /a/b"]);
    expect(lookUp(table, "/a/b")).toEqual(["/a/{x}", "b"]);
    expect(lookUp(table, "/a/b", "POST")).toEqual(["POST /a/b"]);
    expect(table.allowed("/a/b")).toEqual({ ok: true, value: ["GET", "HEAD", "POST", "OPTIONS"] });
  });

  test("methods: HEAD is GET unless declared, * is any, others get a list [QG-12, QG-13]", () => {
    const table = tableOf(["/a", "HEAD /h", "GET /h", "* /any", "PUT /any", "PURGE /p", "DELETE /p", "PATCH /p"]);
    expect(lookUp(table, "/a", "HEAD")).toEqual(["/a"]);
    expect(lookUp(table, "/h", "HEAD")).toEqual(["HEAD /h"]);
    expect(lookUp(table, "/any", "PUT")).toEqual(["PUT /any"]);
    expect(lookUp(table, "/any", "LINK")).toEqual(["* /any"]);
    expect(table.match("POST", "/p")).toMatchObject({ ok: false, error: { code: "method_not_allowed" } });
    expect(table.allowed("/p")).toEqual({ ok: true, value: ["PATCH", "DELETE", "PURGE", "OPTIONS"] });
    expect(table.allowed("/any")).toEqual({
      ok: true,
      value: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    });
  });

  test.each(["/o/%00", "/o/a%0Ab", "/o/%7f"])("no control character in a value: %s [QG-8]", (path) => {
    expect(lookUp(verbs, path)).toBe("invalid_request");
  });

  test("a path that is too long is refused, one at the limit is not [QG-16]", () => {
    const deep = (count: number) => `/${Array.from({ length: count }, () => "a").join("/")}`;
    const wide = (segment: number) => `/${"a".repeat(segment)}`;
    expect(lookUp(all, deep(defaultLimits.segments))).toEqual(["/**"]);
    expect(lookUp(all, deep(defaultLimits.segments + 1))).toBe("uri_too_long");
    expect(lookUp(all, wide(defaultLimits.segmentBytes))).toEqual(["/**"]);
    expect(lookUp(all, wide(defaultLimits.segmentBytes + 1))).toBe("uri_too_long");
    const fill = (bytes: number) => `/${"a".repeat(2047)}`.repeat(4).slice(0, 8192) + "a".repeat(bytes - 8192);
    expect(lookUp(all, fill(defaultLimits.pathBytes))).toEqual(["/**"]);
    expect(lookUp(all, fill(defaultLimits.pathBytes + 1))).toBe("uri_too_long");
  });
});

describe("compared with the slow reference [QG-6]", () => {
  const word = fc.constantFrom("a", "b", "c");
  const segment = fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: fc.constant("*") });
  const template = fc
    .record({
      head: fc.array(segment, { maxLength: 3 }),
      multi: fc.boolean(),
      tail: fc.array(segment, { maxLength: 2 }),
      verb: fc.constantFrom("", "", ":v", ":w"),
    })
    .map(({ head, multi, tail, verb }) => {
      const parts = [...head, ...(multi || head.length === 0 ? ["**", ...tail] : [])];
      const bound = parts.map((part, index) => (part.startsWith("*") ? `{f${index}=${part}}` : part));
      return `/${bound.join("/")}${verb}`;
    });
  const routes = fc.array(
    fc.tuple(fc.constantFrom("GET", "GET", "GET", "POST", "*"), template).map((pair) => pair.join(" ")),
    { minLength: 1, maxLength: 12 },
  );
  const part = fc.constantFrom("a", "b", "c", "d", "a:v", "b:w", "c:x", ":v", "a:", "a%3Av", "%61", "x%2Fy");
  const path = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom("", "", "", "/"))
    .map(([parts, end]) => `/${parts.join("/")}${end}`);

  test("finds the reference's route and values", () => {
    fc.assert(
      fc.property(routes, path, fc.constantFrom("GET", "POST", "HEAD"), (texts, each, method) => {
        const declared = texts.map(routeOf);
        const match = createRouteTable(declared, defaultLimits).match(method, each);
        const expected = referenceMatch(declared, method, each);
        expect(match.ok ? [declared.indexOf(match.value.route), match.value.values] : match.error.code).toEqual(
          expected,
        );
      }),
      { numRuns: numRuns * 20 },
    );
  });

  test("returns a result for any path", () => {
    const table = tableOf(["/**", "/a/{x}:v", "/a/{x=**}/b"]);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `/${text}`),
          fc.webPath(),
        ),
        (each) => {
          const match = table.match("GET", each);
          expect(match.ok || ["not_found", "invalid_request", "uri_too_long"].includes(match.error.code)).toBe(true);
        },
      ),
      { numRuns },
    );
  });
});
