/**
 * The OpenAPI document is true: every declared route of the oracle is called with each failure in its declaration. The
 * declarations are enumerated, so that a new route is tested automatically.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { jsonOf, openSession, type Call, type Edge } from "../../test/support/oracle/oracle-edge.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { FailureCode } from "../../platform/failure.ts";
import { wireMeaningOf } from "../../platform/http/error-bodies.ts";
import type { OracleRoute } from "./http/route.ts";
import { ownRoutes } from "./router.ts";

const alice = 1;
const ADMIN_TOKEN = "operator-token-of-32-characters!";
const UNKNOWN = "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10";
let edge: Edge;
let limited: Edge;
let sessionId = "";

beforeAll(async () => {
  ({ edge } = await edgeOverObjects({ ADMIN_TOKEN }));
  ({ edge: limited } = await edgeOverObjects({ ORACLE_RATE_LIMIT_PER_MINUTE: "1" }));
  sessionId = await openSession(edge, alice);
});

/** The path with an existing session, or with another id in each place. */
function pathOf({ declaration: { path } }: OracleRoute, id = sessionId): string {
  const runId = id === "%00" ? id : `${id}.${UNKNOWN}`;
  return path.replace(":runId", runId).replaceAll(/:\w+/g, id);
}

function send(target: Edge, route: OracleRoute, change: Call & { readonly path?: string } = {}): Promise<Response> {
  const { body, method } = route.declaration;
  const { path = pathOf(route), ...call } = change;
  const isOperators = path.startsWith("/people/");
  const credentials = isOperators ? { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } } : { as: alice };
  return target.call(method.toUpperCase(), path, {
    ...credentials,
    ...(body === undefined ? {} : { body: {} }),
    ...call,
  });
}

/** More than any route accepts. */
const TOO_LARGE = "x".repeat(2 * 1024 * 1024);

/** How to provoke each failure, on any route that declares it. */
const provocations: Readonly<Partial<Record<FailureCode, (route: OracleRoute) => Promise<Response>>>> = {
  unauthenticated: (route) => edge.call(route.declaration.method.toUpperCase(), pathOf(route)),
  invalid_request(route) {
    const { body, query } = route.declaration;
    const [name = ""] = Object.keys(query?.shape ?? {});
    return send(edge, route, body === undefined ? { path: `${pathOf(route)}?${name}=x` } : { body: "{" });
  },
  not_found: (route) => send(edge, route, { path: pathOf(route, "%00") }),
  too_large: (route) => send(edge, route, { body: TOO_LARGE }),
  async rate_limited(route) {
    await send(limited, route, { path: "/sessions" });
    await limited.call("GET", "/sessions", { as: alice });
    return send(limited, route, { path: pathOf(route, UNKNOWN) });
  },
};

/**
 * Failures that need a setting, or a state of the session, of the objects or of the network: their own tests provoke
 * them.
 */
const heldElsewhere: readonly FailureCode[] = [
  "conflict",
  "forbidden",
  "internal",
  "request_timeout",
  "unavailable",
  "upstream_failed",
];

const codesOf = (route: OracleRoute): readonly FailureCode[] => [
  ...new Set(route.document().failures.map(({ code }) => code)),
];

test("there are routes, and each declared failure is provoked here or known to be tested elsewhere", () => {
  expect(ownRoutes.length).toBeGreaterThan(10);
  const declared = new Set(ownRoutes.flatMap(codesOf));
  expect([...declared].filter((code) => provocations[code] === undefined).toSorted()).toEqual(heldElsewhere);
});

describe("declared failures happen", () => {
  const cases = ownRoutes.flatMap((route) =>
    codesOf(route).flatMap((code) => {
      const provoke = provocations[code];
      const { id, params, query, body } = route.declaration;
      // Failures that depend on neither parameters nor body depend on the session's state or the configuration.
      const isElsewhere =
        (code === "not_found" && params === undefined) ||
        (code === "invalid_request" && query === undefined && body === undefined);
      return provoke === undefined || isElsewhere ? [] : [[`${id} ${code}`, route, code, provoke] as const];
    }),
  );
  test.each(cases)("%s [OR-191, OR-192]", async (_, route, code, provoke) => {
    const response = await provoke(route);
    const { status } = wireMeaningOf(code);
    const body = await jsonOf(response);
    expect([response.status, body["statusCode"]]).toEqual([status, status]);
    expect(errorCodes).toContain(body["code"]);
    expect(body["retryable"]).toBeTypeOf("boolean");
    expect(Object.keys(route.document().operation.responses)).toContain(String(status));
  });
});
