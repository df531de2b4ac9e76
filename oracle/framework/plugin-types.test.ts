/** Types in an author's editor: config, arguments and parameters are inferred from their schemas. */
import { expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { RuntimeContext } from "./context.ts";
import { defineOraclePlugin, OraclePlugin, type PluginDefinition } from "./plugin.ts";
import { route } from "./plugin-routes.ts";
import { tool, type PluginTool, type ToolContext } from "./tools.ts";
import type { SharedState } from "./shared-state.ts";

const manifest = { title: "Weather", summary: "The weather.", whenToUse: ["the weather"] };
interface Settings {
  UNIT: "C" | "F";
  STATIONS: number;
}

test("ctx.config has the type of the configSchema in every hook [OR-200]", () => {
  const weather = defineOraclePlugin({
    name: "weather",
    version: "1.0.0",
    manifest,
    configSchema: z.object({ UNIT: z.enum(["C", "F"]).default("C"), STATIONS: z.coerce.number() }),
    autoDetect(env) {
      expectTypeOf(env).toEqualTypeOf<Env>();
      return true;
    },
    getSharedState(ctx) {
      expectTypeOf(ctx.config).toEqualTypeOf<Settings>();
      return { promptSection: ctx.config.UNIT, stations: [1, 2] };
    },
    getTools(ctx) {
      expectTypeOf(ctx.config).toEqualTypeOf<Settings>();
      expectTypeOf(ctx.state.stations).toEqualTypeOf<number[] | undefined>();
      return [];
    },
    getRequestTools: (ctx) => {
      expectTypeOf(ctx.config).toEqualTypeOf<Settings>();
      return [];
    },
    getMiddlewares: (ctx) => {
      expectTypeOf(ctx.config).toEqualTypeOf<Settings>();
      return [];
    },
    getRoutes: (ctx) => {
      expectTypeOf(ctx.config).toEqualTypeOf<Settings>();
      return [];
    },
    getRouteMiddlewares: (ctx) => {
      expectTypeOf(ctx.config).toEqualTypeOf<Settings>();
      return [
        async (c, next) => {
          expectTypeOf(c.get("user")).toEqualTypeOf<{ readonly did: string }>();
          await next();
        },
      ];
    },
  });
  expectTypeOf([weather]).toExtend<readonly PluginDefinition[]>();
});

test("a plugin without a configSchema has no config, and may be an object or a class [OR-200]", () => {
  defineOraclePlugin({
    name: "plain",
    version: "1.0.0",
    manifest,
    getTools(ctx) {
      expectTypeOf(ctx.config).toEqualTypeOf<unknown>();
      return [];
    },
  });
  class Weather extends OraclePlugin<Settings> {
    override readonly name = "weather";
    override readonly version = "1.0.0";
    override readonly manifest = manifest;
    override readonly configSchema = z.object({ UNIT: z.enum(["C", "F"]), STATIONS: z.number() });
  }
  expectTypeOf([new Weather(), { name: "plain", version: "1.0.0", manifest }]).toExtend<readonly PluginDefinition[]>();
});

interface Visits {
  readonly count: number;
}

test("shared state may stay out of the prompt, and may be an interface or a class [OR-200]", () => {
  const home = defineOraclePlugin({
    name: "home",
    version: "1.0.0",
    manifest,
    getSharedState: async () => ({ city: "Lusaka" }),
    getTools({ state }) {
      expectTypeOf(state.city).toEqualTypeOf<string | undefined>();
      return [];
    },
  });
  class Counter extends OraclePlugin<unknown, Visits> {
    override readonly name = "counter";
    override readonly version = "1.0.0";
    override readonly manifest = manifest;
    override getSharedState(): Visits {
      return { count: 1 };
    }
    override getTools({ state }: RuntimeContext<unknown, Visits>): readonly PluginTool[] {
      expectTypeOf(state.count).toEqualTypeOf<number | undefined>();
      return [];
    }
  }
  expectTypeOf([home, new Counter()]).toExtend<readonly PluginDefinition[]>();
  expectTypeOf<{ readonly promptSection: number }>().not.toExtend<SharedState>();
});

test("a tool's arguments and a route's parts have the types of their schemas [OR-200]", () => {
  tool(
    (args, ctx) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
      expectTypeOf(ctx).toEqualTypeOf<ToolContext>();
    },
    {
      name: "get_weather",
      description: "The weather",
      schema: z.object({ city: z.string(), days: z.number().default(1) }),
      needsApproval: ({ days }) => days > 7,
    },
  );
  route({
    method: "Post" as "POST",
    path: "/weather/:city",
    params: z.object({ city: z.string() }),
    query: z.object({ days: z.coerce.number().default(1) }),
    body: z.object({ note: z.string().optional() }),
    handler(_request, { params, query, body, user }) {
      expectTypeOf(params).toEqualTypeOf<{ city: string }>();
      expectTypeOf(query).toEqualTypeOf<{ days: number }>();
      expectTypeOf(body).toEqualTypeOf<{ note?: string | undefined }>();
      expectTypeOf(user).toEqualTypeOf<{ readonly did: string } | undefined>();
      return Response.json({});
    },
  });
});
