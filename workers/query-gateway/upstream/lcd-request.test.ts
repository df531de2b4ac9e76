import { fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTranscoder } from "../../../test/support/query-gateway/transcoded-calls.ts";
import { fixtureImage, ixoImage } from "../../../test/support/query-gateway/gateway-fixture.ts";
import { randomRequest } from "../../../test/support/query-gateway/random-request.ts";
import { writeLcdRequest } from "./lcd-request.ts";

const runsOfARoute = Math.ceil(Number(process.env.PROPERTY_RUNS ?? 100) / 10);
const fixture = createTranscoder(fixtureImage());
const ixo = createTranscoder(ixoImage(), { protocolPrefix: "acme", legacyPrefixes: ["ixo"] });

/** The request to a node's endpoint for the gateway request `line`. */
function asked(transcoder: typeof ixo, line: string, body?: string): unknown {
  const mapped = transcoder.map(line, body);
  if (!mapped.ok) throw new Error(mapped.error.message);
  const { route, message } = mapped.value;
  const bound = transcoder.schema.methods.find(({ method }) => method === route.method);
  return bound === undefined ? undefined : writeLcdRequest(bound, message);
}

/** A message without set members equals a missing one. */
function withoutEmpty(json: unknown): unknown {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const members = Object.entries(json).map(([name, value]) => [name, withoutEmpty(value)] as const);
  const present = members.filter(([, value]) => value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

test.each([
  ["/acme/entity/did:ixo:entity:abc", "/ixo/entity/did%3Aixo%3Aentity%3Aabc"],
  ["/ixo/did/dids/did:ixo:abc%23key%201", "/ixo/did/dids/did%3Aixo%3Aabc%23key%201"],
  ["/ixo/claim/5", "/ixo/claims/claim/5"],
  ["/ixo/entity/", "/ixo/entity/"],
  ["/acme/entity?nope=1&pagination.limit=99999", "/ixo/entity?pagination.limit=1000"],
  [
    "/acme/entity?pagination.key=AQI-_w&pagination.countTotal=T",
    "/ixo/entity?pagination.key=AQI%2B%2Fw%3D%3D&pagination.count_total=true",
  ],
  ["/ixo/claims/dispute-by-subject/c1/2", "/ixo/claims/dispute-by-subject/c1/DISPUTE_TARGET_ROLE_EVALUATOR"],
  ["/ixo/smartaccount/authenticator/ixo1a/0", "/ixo/smartaccount/authenticator/ixo1a/0"],
])("%s becomes %s", (line, path) => {
  expect(asked(ixo, line)).toEqual({ method: "GET", path });
});

test.each([
  ["/bytes/AQI-_w", { method: "GET", path: "/bytes/AQI-_w%3D%3D" }],
  ["/deep/a/b/tail", { method: "GET", path: "/deep/a/b/tail" }],
  ["/alt/q?m[k]=v&fm=a_b,c&du=3.5s&bv=true", { method: "GET", path: "/t/q?m%5Bk%5D=v&du=3.500s&bv=true&fm=a_b%2Cc" }],
  ["/t/x:do", { method: "GET", path: "/t/x:do" }],
])("of the fixture, %s is written again", (line, request) => {
  expect(asked(fixture, line)).toEqual(request);
});

/** The body as JSON; the rest unchanged. */
function sent(request: unknown): unknown {
  const { body, ...rest } = request as { readonly body?: string };
  return { ...rest, body: body === undefined ? undefined : JSON.parse(body) };
}

test("a body is sent as the endpoint itself prints such a message", () => {
  expect(sent(asked(fixture, "POST /post", '{"camelCase":"x","i64":5}'))).toMatchObject({
    method: "POST",
    path: "/post",
    body: { i64: "5", camelCase: "x", i32: 0, sub: null, rs: [] },
  });
  expect(asked(fixture, "POST /post/x?i32=7", '{"a":"q"}')).toEqual({
    method: "POST",
    path: "/post/x?i32=7",
    body: '{"a":"q","sub":null}',
  });
});

test("an Any in a body keeps its type URL; one in a query cannot be expressed", () => {
  const any = { "@type": "/gwtest.v1.Sub", a: "q" };
  expect(sent(asked(fixture, "POST /post", JSON.stringify({ any })))).toMatchObject({
    body: { any: { ...any, sub: null } },
  });
  const [get] = fixture.schema.methods;
  const mapped = fixture.map("POST /post", JSON.stringify({ id: "x", any }));
  expect(get && mapped.ok && writeLcdRequest(get, mapped.value.message)).toBeUndefined();
});

test("an unsupported request is not sent [QG-75]", () => {
  const none = ["/ixo/entity/a%2Fb", "/ixo/entity/:foo", "/ixo/entity/foo:"];
  expect(none.map((line) => asked(ixo, line))).toEqual(none.map(() => undefined));
  // A list of messages cannot be written in a query.
  const [get] = fixture.schema.methods;
  const mapped = fixture.map("POST /post", '{"id":"x","subs":[{"a":"q"}]}');
  expect(get && mapped.ok && writeLcdRequest(get, mapped.value.message)).toBeUndefined();
});

describe("read again, the request is unchanged [QG-74]", () => {
  const cases = [fixture, createTranscoder(ixoImage())].flatMap((transcoder) => {
    const hidden = new Set(transcoder.plan.table.shadowed.map(({ route }) => route));
    return transcoder.schema.methods.flatMap((bound) => {
      const route = transcoder.plan.routes.find(({ rule, successor }) => rule === bound.rules[0] && !successor);
      const isSent = route !== undefined && !hidden.has(route) && !transcoder.plan.refused.length;
      const isJson = bound.method.input.typeName !== "google.api.HttpBody" && route?.body.kind !== "field";
      return isSent && isJson && route.httpMethod !== "*"
        ? [[`${bound.method.parent.typeName}/${bound.method.name}`, { bound, route, transcoder }] as const]
        : [];
    });
  });

  test.each(cases)("%s", (_, { bound, route, transcoder }) => {
    fc.assert(
      fc.property(randomRequest(route), (message) => {
        const request = writeLcdRequest(bound, message);
        fc.pre(request !== undefined);
        const mapped = transcoder.map(`${request.method} ${request.path}`, request.body);
        const meant = withoutEmpty(toJson(bound.method.input, message));
        expect(mapped.ok && mapped.value.route.method.name, request.path).toBe(bound.method.name);
        // As on the wire, where a float has no more digits than its 32 bits.
        const wire = mapped.ok ? toBinary(bound.method.input, mapped.value.message) : new Uint8Array();
        expect(withoutEmpty(toJson(bound.method.input, fromBinary(bound.method.input, wire))), request.path).toEqual(
          meant,
        );
      }),
      { numRuns: runsOfARoute },
    );
  });
});
