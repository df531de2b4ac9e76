/** `/` and `/health`, which answer on every host, as the oracle's document describes them. */
import * as z from "zod";
import type { Operation } from "../platform/openapi.ts";
import { publicSecurity } from "./description.ts";
import { timestamp } from "../../protocol/json.ts";

const tag = "Oracle";

export const readRoot: Operation = {
  method: "get",
  path: "/",
  id: "readRoot",
  summary: "Check that the service answers",
  tag,
  security: publicSecurity,
  responses: {
    200: {
      description: "It answers; nothing else was asked",
      content: {
        schema: z.object({
          status: z.literal("ok"),
          message: z.string(),
          environment: z.string(),
          timestamp: timestamp(),
        }),
      },
    },
  },
};

const health = z
  .object({
    status: z.enum(["ok", "error"]),
    environment: z.string(),
    timestamp: timestamp(),
    uptime: z.number().meta({ description: "Seconds." }),
    database: z.string(),
  })
  .catchall(z.unknown());

export const readHealth: Operation = {
  method: "get",
  path: "/health",
  id: "readHealth",
  summary: "Check the service, its database and its settings",
  tag,
  security: publicSecurity,
  responses: {
    200: { description: "All is well", content: { schema: health } },
    503: { description: "The database cannot be reached, or a setting is wrong", content: { schema: health } },
  },
};
