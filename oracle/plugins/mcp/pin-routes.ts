/** The operator's routes, if configured: lists accepted and waiting versions of pinned tools, and accepts a version. */
import * as z from "zod";
import { refuse } from "../../framework/admission.ts";
import type { PluginContext } from "../../framework/context.ts";
import { route, type PluginRoute, type RouteContext } from "../../framework/plugin-routes.ts";
import { acceptPin, readPins } from "./pins.ts";
import type { McpSettings } from "./settings.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const pinRecord = z.object({ server: z.string(), tool: z.string(), accepted: hash, waiting: hash.optional() });
const accepting = z.object({ server: z.string().max(64), tool: z.string().max(512), hash });
const example = { server: "weather", tool: "get_forecast", accepted: "3f".repeat(32), waiting: "a1".repeat(32) };

export function pinRoutes({ config }: PluginContext<McpSettings>): readonly PluginRoute[] {
  const { servers, operatorToken } = config;
  if (operatorToken === undefined) return [];
  const pinned = servers.filter(({ pin }) => pin).map(({ name }) => name);

  return [
    route({
      method: "get",
      path: "/mcp/pins",
      operatorSecret: operatorToken,
      id: "listMcpPins",
      summary: "List pinned tools with their accepted and waiting versions",
      description: "For operators: `Authorization: Bearer <MCP_OPERATOR_TOKEN>`.",
      responses: {
        200: {
          description: "By server and tool",
          schema: z.object({ pins: z.array(pinRecord) }),
          example: { pins: [example] },
        },
      },
      async handler(_request, { oracleKv }) {
        const pins = await Promise.all(
          pinned.map(async (server) =>
            Object.entries(await readPins(oracleKv, server)).map(([tool, pin]) => ({ server, tool, ...pin })),
          ),
        );
        return Response.json({ pins: pins.flat() });
      },
    }),
    route({
      method: "post",
      path: "/mcp/pins",
      operatorSecret: operatorToken,
      id: "acceptMcpPin",
      summary: "Accept a changed tool",
      description: "For operators. Send the hash that `GET /mcp/pins` shows as waiting.",
      body: accepting,
      responses: {
        200: {
          description: "All users may use this version",
          schema: z.object({ accepted: z.boolean() }),
          example: { accepted: true },
        },
      },
      async handler(_request, ctx) {
        const { server, tool, hash: version } = ctx.body;
        const isAccepted = pinned.includes(server) && (await acceptPin(ctx.oracleKv, server, tool, version));
        if (!isAccepted) return refuse("conflict", "No such version of a pinned tool is waiting");
        log(ctx, server, tool);
        return Response.json({ accepted: true });
      },
    }),
  ];
}

function log({ logger }: Pick<RouteContext, "logger">, server: string, tool: string): void {
  logger.info("mcp-pin-accepted", { server, tool });
}
