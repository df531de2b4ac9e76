/** The OpenAPI documents of a host: one for each of its surfaces, and one for all together. */
import * as z from "zod";
import { frontendTools } from "../../protocol/records.ts";
import { isJsonObject, type JsonObject } from "../../platform/json.ts";
import { buildOpenApi, mergeOpenApi, type Operation } from "../../platform/openapi.ts";
import type { SurfaceName } from "../../platform/surface-name.ts";
import type { Surfaces } from "./health.ts";

const text = z.string();
const timestamp = text.meta({ format: "date-time" });
const tag = "Shared";

const readRoot: Operation = {
  method: "get",
  path: "/",
  id: "readRoot",
  summary: "Service status",
  tag,
  security: [],
  responses: {
    200: {
      description: "The service is up; the database is not checked",
      content: { schema: z.object({ status: z.literal("ok"), message: text, environment: text, timestamp }) },
    },
  },
};

const healthRecord = z
  .object({
    status: z.enum(["ok", "error"]),
    environment: text,
    timestamp,
    uptime: z.number().meta({ description: "Seconds since this isolate answered its first request." }),
    database: z.enum(["connected", "disconnected", "not_bound"]),
    misconfigured: z
      .record(z.string(), z.array(text))
      .optional()
      .meta({ description: "The names of wrong variables by surface. Absent if there are none." }),
    configuration: z
      .array(z.object({ surface: text, variable: text, problem: text, example: text.optional() }))
      .optional()
      .meta({
        description: "The error of each variable. Only in development; otherwise, the log contains the errors.",
      }),
    gateway: z
      .object({
        status: z.enum(["ok", "error"]),
        nodes: z.array(
          z.object({ name: text, kind: text, state: text, height: text.nullable() }).catchall(z.unknown()),
        ),
        problems: z
          .array(z.object({ variable: text, message: text }))
          .optional()
          .meta({ description: "The errors of deployments that are not served. Absent if all are served." }),
      })
      .catchall(z.unknown())
      .optional()
      .meta({
        description:
          "The query gateway, if the host serves it. Failed nodes do not change the status, nor does a wrong deployment if others are right.",
      }),
    frontendTools: frontendTools.optional().meta({ description: "Present if the host serves the oracle." }),
    plugins: z
      .object({
        loaded: z.array(text),
        excluded: z.array(z.object({ plugin: text, reason: text, missing: z.array(text).optional() })),
        softDepGaps: z.array(z.object({ plugin: text, missing: text })),
        error: z
          .object({ code: text, plugin: text, names: z.array(text), message: text })
          .catchall(z.unknown())
          .optional(),
        health: z
          .record(z.string(), z.unknown())
          .optional()
          .meta({ description: "The health that each plugin reports, by its name." }),
      })
      .optional()
      .meta({ description: "The oracle's plugins, if the host serves the oracle." }),
    warnings: z.array(text).optional(),
  })
  .catchall(z.unknown())
  .meta({ id: "Health" });

const readHealth: Operation = {
  method: "get",
  path: "/health",
  id: "readHealth",
  summary: "Service health",
  description: "Checks the database and every setting of the surfaces that the host serves.",
  tag,
  security: [],
  responses: {
    200: { description: "Healthy", content: { schema: healthRecord } },
    503: { description: "The database is unreachable or a setting is wrong", content: { schema: healthRecord } },
  },
};

const sharedOperations: readonly Operation[] = [readRoot, readHealth];

/** The title and description of a deployment. */
export interface Nameplate {
  readonly title: string;
  readonly description: string;
}

export const HOST_NAMEPLATE: Nameplate = {
  title: "twinedge",
  description: "The public edge of a platform of digital twins: everything that this host serves.",
};
const version = "1";

const sharedDocument = (): JsonObject =>
  buildOpenApi({
    ...HOST_NAMEPLATE,
    version,
    tags: [{ name: tag, description: "Shared by all surfaces" }],
    securitySchemes: {},
    operations: sharedOperations,
  });

async function ownDocument(
  name: SurfaceName,
  env: Env,
  served: readonly SurfaceName[],
  surfaces: Surfaces,
): Promise<JsonObject | undefined> {
  return served.includes(name) ? surfaces[name]?.openapi?.(env) : undefined;
}

/** Includes the shared paths. Undefined if the host does not serve the surface, or the surface has no document. */
export async function surfaceDocument(
  name: SurfaceName,
  env: Env,
  served: readonly SurfaceName[],
  surfaces: Surfaces,
  nameplate?: Nameplate,
): Promise<JsonObject | undefined> {
  const document = await ownDocument(name, env, served, surfaces);
  if (document === undefined) return undefined;
  const { info: own } = document;
  const info = { ...(isJsonObject(own) ? own : { ...HOST_NAMEPLATE, version }), ...nameplate };
  return { ...document, ...mergeOpenApi(info, [document, sharedDocument()]) };
}

export async function hostDocument(
  env: Env,
  served: readonly SurfaceName[],
  surfaces: Surfaces,
  nameplate = HOST_NAMEPLATE,
): Promise<JsonObject> {
  const all = await Promise.all(served.map((name) => ownDocument(name, env, served, surfaces)));
  // The last document describes the paths that all surfaces share.
  return mergeOpenApi({ ...nameplate, version }, [...all.filter(isJsonObject), sharedDocument()]);
}

/** The documents in the reference, the combined one first. */
export async function listDocuments(
  env: Env,
  served: readonly SurfaceName[],
  surfaces: Surfaces,
): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const found = await Promise.all(
    served.map(async (name) =>
      (await ownDocument(name, env, served, surfaces)) === undefined ? [] : [{ name, url: `/openapi/${name}.json` }],
    ),
  );
  return [{ name: "everything", url: "/openapi.json" }, ...found.flat()];
}
