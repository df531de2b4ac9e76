/** The OpenAPI documents of a host (decisions 1.9): one of each surface that it serves, and one of all together. */
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../platform/json.ts";
import { buildOpenApi, mergeOpenApi, type Operation } from "../platform/openapi.ts";
import type { SurfaceName } from "../platform/surface-name.ts";
import type { Surfaces } from "./health.ts";

const text = z.string();
const timestamp = text.meta({ format: "date-time" });
const tag = "Shared";

const readRoot: Operation = {
  method: "get",
  path: "/",
  id: "readRoot",
  summary: "Tell that the service is up",
  tag,
  security: [],
  responses: {
    200: {
      description: "It is",
      content: { schema: z.object({ status: z.literal("ok"), message: text, environment: text, timestamp }) },
    },
  },
};

const healthRecord = z
  .object({
    status: z.enum(["ok", "error"]),
    environment: text,
    timestamp,
    uptime: z.number().meta({ description: "Seconds since this isolate started." }),
    database: z.enum(["connected", "unreachable"]),
    misconfigured: z
      .record(z.string(), z.array(text))
      .optional()
      .meta({ description: "Surface to the names of its wrong variables." }),
  })
  .catchall(z.unknown())
  .meta({ id: "Health" });

const readHealth: Operation = {
  method: "get",
  path: "/health",
  id: "readHealth",
  summary: "Tell whether the database answers and every setting is right",
  tag,
  security: [],
  responses: {
    200: { description: "Healthy", content: { schema: healthRecord } },
    503: { description: "The database is unreachable or a setting is wrong", content: { schema: healthRecord } },
  },
};

const sharedOperations: readonly Operation[] = [readRoot, readHealth];

const info = {
  title: "twinedge",
  version: "1",
  description: "The public edge of a platform of digital twins: everything that this host serves.",
};

const sharedDocument = (): JsonObject =>
  buildOpenApi({
    ...info,
    tags: [{ name: tag, description: "What all surfaces have in common" }],
    securitySchemes: {},
    operations: sharedOperations,
  });

/** Undefined when the host does not serve the surface, or the surface has no document. */
export async function surfaceDocument(
  name: SurfaceName,
  env: Env,
  served: readonly SurfaceName[],
  surfaces: Surfaces,
): Promise<JsonObject | undefined> {
  return served.includes(name) ? surfaces[name]?.openapi?.(env) : undefined;
}

export async function hostDocument(env: Env, served: readonly SurfaceName[], surfaces: Surfaces): Promise<JsonObject> {
  const all = await Promise.all(served.map((name) => surfaceDocument(name, env, served, surfaces)));
  const documents = all.filter(isJsonObject);
  return mergeOpenApi(info, [sharedDocument(), ...documents]);
}

/** What the reference offers to read, the whole first. */
export async function listDocuments(
  env: Env,
  served: readonly SurfaceName[],
  surfaces: Surfaces,
): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const found = await Promise.all(
    served.map(async (name) =>
      (await surfaceDocument(name, env, served, surfaces)) === undefined
        ? []
        : [{ name, url: `/openapi/${name}.json` }],
    ),
  );
  return [{ name: "everything", url: "/openapi.json" }, ...found.flat()];
}
