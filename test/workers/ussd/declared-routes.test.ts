/**
 * The OpenAPI document is true: every declared operator route is called with each failure in its declaration. The
 * declarations are enumerated, so that a new route is tested automatically.
 */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createUssdEdge, OPERATOR, OPERATOR_TOKEN, type UssdEdge } from "../../support/ussd/edge.ts";
import { operationRoutes } from "../../../workers/ussd/http/operation-routes.ts";
import { peopleRoutes } from "../../../workers/ussd/http/people-routes.ts";
import type { OperatorRoute } from "../../../workers/ussd/http/route.ts";
import { sessionRoutes } from "../../../workers/ussd/http/session-routes.ts";

const routes = [...sessionRoutes, ...operationRoutes, ...peopleRoutes];
/** Outside development every route requires the token. */
const production = { ENVIRONMENT: "production", USSD_OPERATOR_TOKEN: OPERATOR_TOKEN };
const TOO_LARGE = "x".repeat(65_537);

function send(
  edge: UssdEdge,
  { declaration }: OperatorRoute,
  change: { query?: string; body?: string; token?: string } = {},
) {
  const { method, path, body } = declaration;
  const { query = "", token, body: sent = "{}" } = change;
  return edge.call(method.toUpperCase(), `${path.replaceAll(/:\w+/g, "C0000000000")}${query}`, {
    headers: token === undefined ? OPERATOR : { Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: sent }),
  });
}

/** How to provoke each failure, on any route that declares it. */
const provocations: Readonly<Record<number, (route: OperatorRoute) => Promise<Response>>> = {
  400(route) {
    const [name = ""] = Object.keys(route.declaration.query?.shape ?? {});
    const isQuery = route.declaration.body === undefined;
    return send(
      createUssdEdge(env, production),
      route,
      isQuery ? { query: `?${name}=${"%00".repeat(50)}` } : { body: TOO_LARGE },
    );
  },
  401: (route) => send(createUssdEdge(env, production), route, { token: "wrong" }),
  404: (route) => send(createUssdEdge(env, { ...production, USSD_OPERATOR_TOKEN: "" }), route),
  async 429(route) {
    const edge = createUssdEdge(env, { ...production, USSD_RATE_LIMIT_PER_MINUTE: "1" });
    await send(edge, route);
    return send(edge, route);
  },
  503: (route) => send(createUssdEdge(env, { ...production, USSD_REPLY_BUDGET_MS: "wrong" }), route),
};

/**
 * 403 needs a session of staff, which staff/roles.test.ts tests. 409 needs another customer with that DID or number; routes.test.ts and
 * people.test.ts test it.
 */
const testedElsewhere = [403, 409];

test("each declared failure is provoked here or tested elsewhere", () => {
  expect(routes).toHaveLength(14);
  const declared = new Set(routes.flatMap((route) => route.document().failures));
  expect([...declared].filter((status) => provocations[status] === undefined)).toEqual(testedElsewhere);
});

describe("declared failures happen [PH-92]", () => {
  const cases = routes.flatMap((route) =>
    route.document().failures.flatMap((status) => {
      const provoke = provocations[status];
      return provoke === undefined ? [] : [[`${route.declaration.id} ${status}`, route, status, provoke] as const];
    }),
  );
  test.each(cases)("%s", async (_, route, status, provoke) => {
    const response = await provoke(route);
    expect(response.status).toBe(status);
    expect(Object.keys(route.document().operation.responses)).toContain(String(status));
  });
});
