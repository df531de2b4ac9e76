/** The operator's routes, if there is an operator: which versions of pinned tools are accepted, which wait, and accepting one. */
import * as z from "zod";
import type { PluginContext } from "../../framework/context.ts";
import { route, type PluginRoute, type RouteContext } from "../../framework/plugin-routes.ts";
import { sameSecret } from "../../framework/same-secret.ts";
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

  /** The answer to whoever is not the operator. */
  async function refusalOf(request: Request, token: string): Promise<Response | undefined> {
    const given = /^Bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    return (await sameSecret(given, token)) ? undefined : answer(401, "This needs the operator's token");
  }

  return [
    route({
      method: "get",
      path: "/mcp/pins",
      public: true,
      id: "listMcpPins",
      summary: "List pinned tools: accepted versions and those that wait",
      description: "For operators: `Authorization: Bearer <MCP_OPERATOR_TOKEN>`.",
      responses: {
        200: {
          description: "By server and tool",
          schema: z.object({ pins: z.array(pinRecord) }),
          example: { pins: [example] },
        },
      },
      async handler(request, { oracleKv }) {
        const refusal = await refusalOf(request, operatorToken);
        if (refusal !== undefined) return refusal;
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
      public: true,
      id: "acceptMcpPin",
      summary: "Accept a changed tool",
      description: "For operators. The hash is the one that `GET /mcp/pins` shows as waiting.",
      body: accepting,
      responses: {
        200: {
          description: "Everybody may use this version",
          schema: z.object({ accepted: z.boolean() }),
          example: { accepted: true },
        },
      },
      async handler(request, ctx) {
        const refusal = await refusalOf(request, operatorToken);
        if (refusal !== undefined) return refusal;
        const { server, tool, hash: version } = ctx.body;
        const isAccepted = pinned.includes(server) && (await acceptPin(ctx.oracleKv, server, tool, version));
        if (!isAccepted) return answer(409, "No such version of a pinned tool is waiting");
        log(ctx, server, tool);
        return Response.json({ accepted: true });
      },
    }),
  ];
}

function log({ logger }: Pick<RouteContext, "logger">, server: string, tool: string): void {
  logger.info("mcp-pin-accepted", { server, tool });
}

function answer(statusCode: number, message: string): Response {
  return Response.json({ statusCode, message }, { status: statusCode });
}
