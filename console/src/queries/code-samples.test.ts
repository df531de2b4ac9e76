/** Copied code: a shell and JavaScript send the original request, and it contains no key. */
import { spawnSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import ts from "typescript";
import { expect, test } from "vitest";
import { connectSample, curlSample, fetchSample, messageOf } from "./code-samples.ts";
import type { Parameter, QueryPath } from "./gateway-catalogue.ts";
import { emptyForm } from "./query-form.ts";

const origin = "http://localhost:3000";
const plain = { method: "GET", target: "/ixo/entity", headers: {}, access: "none" } as const;

/** The arguments that a shell passes to curl, with $API_KEY set. */
function wordsOf(command: string, key = ""): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", env: { API_KEY: key } });
  return stdout.split("\0").slice(0, -1);
}

test("a shell passes the form's values to curl, whatever they contain [CN-154]", () => {
  const text = fc.string({ unit: "grapheme" }).map((value) => value.replaceAll("\0", ""));
  fc.assert(
    fc.property(text, text, (value, body) => {
      const target = `/ixo/entity?x=${value}`;
      const words = wordsOf(
        curlSample({ ...plain, method: "POST", target, headers: { "x-a": value }, body: `@${body}` }, origin),
      );
      expect(words).toEqual([origin + target, "-H", `x-a: ${value}`, "--data-raw", `@${body}`]);
    }),
    // Each is a process.
    { numRuns: 40 },
  );
});

test.each([
  ["apiKey", ["-H", "X-API-Key: the key's $HOME"]],
  ["bearer", ["-H", "Authorization: Bearer the key's $HOME"]],
  ["basic", ["-u", "the key's $HOME"]],
] as const)("the key of %s comes from the shell's own variable [CN-156]", (access, words) => {
  const command = curlSample({ ...plain, access }, origin);
  expect(command).toContain("$API_KEY");
  expect(wordsOf(command, "the key's $HOME")).toEqual([`${origin}/ixo/entity`, ...words]);
});

test.each(["none", "apiKey", "bearer", "basic"] as const)(
  "the copied fetch with %s access sends an equal request [CN-154]",
  async (access) => {
    const asked: { readonly url: string; readonly init?: RequestInit }[] = [];
    const sample = fetchSample(
      { ...plain, target: `/a?b="'\``, headers: { "x-cosmos-block-height": "7" }, access },
      origin,
    );
    const send = (url: string, init?: RequestInit): Response => {
      asked.push({ url, ...(init && { init }) });
      return Response.json({ done: true });
    };
    const answer: unknown = await runInNewContext(`(async () => { ${sample}; return answer; })()`, {
      fetch: send,
      btoa,
    });
    expect(answer).toEqual({ done: true });
    expect(asked[0]?.url).toBe(`${origin}/a?b="'\``);
    expect(new Headers(asked[0]?.init?.headers).get("x-cosmos-block-height")).toBe("7");
    const shown = { none: null, apiKey: "$API_KEY", bearer: "Bearer $API_KEY", basic: `Basic ${btoa("$API_KEY")}` };
    const headers = new Headers(asked[0]?.init?.headers);
    expect(headers.get("X-API-Key") ?? headers.get("Authorization")).toBe(shown[access]);
  },
);

const parameter = (name: string, kind: Parameter["kind"]): Parameter => ({
  name,
  kind,
  place: "query",
  choices: [],
  isMulti: false,
});
const query: QueryPath = {
  path: "/ixo/entity",
  method: "GET",
  name: "ixo.entity.v1beta1.Query/EntityList",
  parameters: [],
  takesBody: false,
  access: "none",
};

test("Connect gets the message in protobuf's JSON, and is TypeScript [CN-154]", () => {
  const parameters = [
    parameter("pagination.limit", "integer"),
    parameter("pagination.reverse", "boolean"),
    parameter("ids", "list"),
    parameter("m", "map"),
    parameter("unset", "text"),
  ];
  const values = {
    "pagination.limit": ["10"],
    "pagination.reverse": ["true"],
    ids: ["1", "2"],
    m: ["k=v"],
    unset: [""],
  };
  const form = { ...emptyForm, path: query.path, values, height: "42" };
  expect(messageOf(form, parameters)).toEqual({
    pagination: { limit: "10", reverse: true },
    ids: ["1", "2"],
    m: { k: "v" },
  });
  const sample = connectSample(form, parameters, query) ?? "";
  expect(sample).toContain(`import { Query } from "./gen/ixo/entity/v1beta1/query_pb";`);
  expect(sample).toContain("client.entityList(");
  expect(sample).toContain("fromJson(Query.method.entityList.input, {");
  const { diagnostics } = ts.transpileModule(sample, { reportDiagnostics: true });
  expect(diagnostics).toEqual([]);
  expect(connectSample(form, parameters, undefined)).toBeUndefined();
});

test("an address's height and body stay text in the copied Connect code [CN-181, CN-191]", () => {
  const code = `"; process.exit(1); "`;
  const form = { ...emptyForm, path: query.path, height: code, body: `{}); process.exit(1); ({}` };
  const { statements } = ts.createSourceFile("sample.ts", connectSample(form, [], query) ?? "", ts.ScriptTarget.Latest);
  // Four imports, transport, client, answer.
  expect(statements).toHaveLength(7);
  const exact = connectSample({ ...emptyForm, path: query.path, body: ' {"n": 18446744073709551615} ' }, [], query);
  expect(exact).toContain('input, {"n": "18446744073709551615"}');
  for (const body of ['{"__proto__":{"id":"x"}}', String.raw`{"\u005f_proto__":{"id":"x"}}`])
    expect(connectSample({ ...emptyForm, path: query.path, body }, [], query)).toContain(
      `input, JSON.parse(${JSON.stringify(body)})`,
    );
});
