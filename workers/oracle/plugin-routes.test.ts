/** Routes and HTTP middleware of plugins. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import { jsonOf } from "../../test/support/oracle/oracle-edge.ts";
import { signer } from "../../test/support/auth/ucan.ts";
import { route, type RouteMiddleware } from "../../oracle/framework/plugin-routes.ts";

const alice = 1;

describe("HTTP middleware of plugins [OR-202]", () => {
  const gate = (name: string, seen: string[], middleware?: RouteMiddleware) =>
    plugin(name, {
      getRouteMiddlewares: () => [
        middleware ??
          (async (c, next) => {
            seen.push(`${name} ${c.req.method} ${c.req.path} ${c.get("user").did}`);
            await next();
            c.res.headers.append("X-Seen", name);
          }),
      ],
      getRoutes: () => [
        { method: "GET", path: `/${name}/mine`, handler: () => Response.json({}) },
        { method: "GET", path: `/${name}/open`, public: true, handler: () => Response.json({}) },
      ],
    });

  test("runs around every route that needs a caller, in load order, once the caller is known", async () => {
    const seen: string[] = [];
    const { edge } = await edgeOverObjects({}, { plugins: [gate("first", seen), gate("second", seen)] });
    const did = (await signer(alice)).did();
    const own = await edge.call("GET", "/sessions", { as: alice });
    const plugins = await edge.call("GET", "/first/mine", { as: alice });
    expect([own.status, own.headers.get("X-Seen")]).toEqual([200, "second, first"]);
    expect([plugins.status, plugins.headers.get("X-Seen")]).toEqual([200, "second, first"]);
    expect(seen).toEqual([
      `first GET /sessions ${did}`,
      `second GET /sessions ${did}`,
      `first GET /first/mine ${did}`,
      `second GET /first/mine ${did}`,
    ]);
    expect((await edge.call("GET", "/sessions")).status).toBe(401);
    for (const path of ["/models", "/first/open", "/nothing"]) await edge.call("GET", path, { as: alice });
    expect(seen).toHaveLength(4);
  });

  test("does not run around an operator's route, whose caller has no DID", async () => {
    const seen: string[] = [];
    const operatorSecret = "operator-token-of-32-characters!";
    const closed = plugin("closed", {
      getRoutes: () => [{ method: "GET", path: "/closed", operatorSecret, handler: () => Response.json({}) }],
    });
    const { edge } = await edgeOverObjects({}, { plugins: [gate("first", seen), closed] });
    const answer = await edge.call("GET", "/closed", { headers: { Authorization: `Bearer ${operatorSecret}` } });
    expect([answer.status, seen]).toEqual([200, []]);
  });

  test("may answer itself, before the request is counted or read", async () => {
    const refusing: RouteMiddleware = async (c) => c.json({ code: "payment_required" }, 402);
    const { edge, objects } = await edgeOverObjects({}, { plugins: [gate("credits", [], refusing)] });
    const response = await edge.call("POST", "/sessions", { as: alice });
    expect([response.status, await jsonOf(response)]).toEqual([402, { code: "payment_required" }]);
    expect(objects.calls).toEqual([]);
  });

  test("that throws is a 500 in the oracle's form; onError and the log know the plugin", async () => {
    const errors: unknown[] = [];
    const thrown = new Error("secret");
    const throwing: RouteMiddleware = () => Promise.reject(thrown);
    const { edge } = await edgeOverObjects(
      {},
      { plugins: [gate("bad", [], throwing)], hooks: { onError: (...args) => errors.push(args) } },
    );
    const response = await edge.call("GET", "/sessions", { as: alice });
    expect([response.status, await jsonOf(response)]).toMatchObject([
      500,
      { statusCode: 500, message: "Internal server error", error: "Internal Server Error" },
    ]);
    expect(errors).toEqual([[thrown, "plugin:bad"]]);
    expect((await edge.call("GET", "/models")).status).toBe(200);
  });

  test("is not blamed for an exception of the route after it", async () => {
    const errors: unknown[] = [];
    const passing = gate("passing", []);
    const broken = plugin("broken", {
      getRoutes: () => [{ method: "get", path: "/broken", handler: () => Promise.reject(new Error("in the route")) }],
    });
    const hooks = { onError: (_: unknown, source: string) => errors.push(source) };
    const { edge } = await edgeOverObjects({}, { plugins: [passing, broken], hooks });
    expect((await edge.call("GET", "/broken", { as: alice })).status).toBe(500);
    expect(errors).toEqual(["http"]);
  });
});

describe("routes of plugins [OR-201, OR-208]", () => {
  const weather = plugin("weather", {
    getRoutes: () => [
      route({
        method: "GET",
        path: "/weather/:city",
        public: true,
        params: z.object({ city: z.string().max(9).meta({ description: "Its name." }) }),
        query: z.object({ days: z.coerce.number().default(1) }),
        responses: { 200: { description: "The weather", schema: z.object({ celsius: z.number() }) } },
        handler: (_, { params, query }) => Response.json({ ...params, ...query }),
      }),
    ],
  });

  test("outside the oracle's own paths they are found; open to everybody and described when they say so", async () => {
    const { edge } = await edgeOverObjects({}, { plugins: [weather] });
    const response = await edge.call("GET", "/weather/Nairobi?days=2");
    expect([response.status, await jsonOf(response)]).toEqual([200, { city: "Nairobi", days: 2 }]);
    expect((await edge.call("GET", "/weather/Antananarivo")).status).toBe(404);
    expect(await jsonOf(await edge.call("POST", "/weather/Nairobi"))).toMatchObject({
      message: "Cannot POST /weather/Nairobi",
    });
    const { paths } = await jsonOf(await edge.call("GET", "/openapi/oracle.json"));
    expect(paths).toMatchObject({
      "/weather/{city}": {
        get: {
          operationId: "getWeatherCity",
          tags: ["weather"],
          security: [],
          parameters: [
            { name: "city", in: "path", required: true, description: "Its name." },
            { name: "days", in: "query", required: false },
          ],
          responses: {
            200: { content: { "application/json": { schema: { required: ["celsius"] } } } },
            400: { description: "Bad Request" },
            404: { description: "Not Found" },
          },
        },
      },
    });
    expect(await jsonOf(await edge.call("GET", "/weathers"))).toMatchObject({ code: 5 });
  });

  test("a plugin that is off has none", async () => {
    const { edge } = await edgeOverObjects({}, { plugins: [weather], features: { weather: false } });
    expect((await edge.call("GET", "/weather/Nairobi")).status).toBe(404);
    const { paths } = await jsonOf(await edge.call("GET", "/openapi/oracle.json"));
    expect(paths).not.toHaveProperty(["/weather/{city}"]);
  });
});
