/**
 * The gateway's OpenAPI document, from the descriptors of its chain profiles: one operation per reachable binding that
 * is neither disabled nor an alias. A profile with access control is described only if its document is public.
 */
import type { JsonObject } from "../../../platform/json.ts";
import { opensPath } from "../access/authenticate.ts";
import type { Deployment } from "../deployments/deployment.ts";
import type { Route } from "../transcoding/routes.ts";
import { schemaWriter } from "./message-schemas.ts";
import {
  describeRoute,
  tagOf,
  errorComponents,
  HEIGHT_PARAMETER,
  heightParameter,
  securitySchemes,
  STATUS_SCHEMA,
  statusSchema,
} from "./operation.ts";
import { describeRpc, RPC_TAG, rpcSchemas } from "./rpc-paths.ts";
import { pathShape, templatePath, type TemplatePath } from "./template-path.ts";

/** OpenAPI's methods; a `*` rule is described as GET. */
const METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "patch", "options", "head", "trace"]);

/** Undefined if no profile can be described. */
export function describeGateway(deployments: readonly Deployment[]): JsonObject | undefined {
  const described = deployments.filter(isOpen);
  if (described.length === 0) return undefined;
  const schemas: Record<string, JsonObject> = { [STATUS_SCHEMA]: statusSchema };
  const paths: Record<string, JsonObject> = {};
  const aliases: Record<string, string> = {};
  const tags = new Set<string>();
  const names = new Map<string, number>();
  const shapes = new Map<string, TemplatePath>();
  for (const deployment of described) {
    const mount = deployment.settings.match.mount ?? "";
    for (const route of servedRoutes(deployment)) {
      const written = underKnownNames(templatePath(route, mount), shapes);
      if (route.successor !== undefined) {
        aliases[written.path] = templatePath(route.successor, mount).path;
        continue;
      }
      const httpMethod = route.httpMethod === "*" ? "get" : route.httpMethod.toLowerCase();
      // The first profile that serves a path is described.
      if (!METHODS.has(httpMethod) || paths[written.path]?.[httpMethod] !== undefined) continue;
      const { registry } = route.bound;
      const writers = {
        answers: schemaWriter(registry, schemas),
        requests: schemaWriter(registry, schemas, "request"),
      };
      const operation = describeRoute(route, uniqueName(route, names), written, writers, deployment);
      paths[written.path] = { ...paths[written.path], ...serversOf(deployment), [httpMethod]: operation };
      tags.add(tagOf(route));
    }
    for (const [path, item] of Object.entries(describeRpc(deployment))) {
      if (paths[path] !== undefined) continue;
      paths[path] = { ...item, ...serversOf(deployment) };
      tags.add(RPC_TAG);
    }
  }
  const schemes: (readonly [string, JsonObject])[] = described.flatMap(({ settings: { gate } }) =>
    gate.mode === "none" ? [] : [securitySchemes[gate.mode]],
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Protocol query gateway",
      version: "1",
      description: "The chain's query services over HTTP and JSON, under the paths of a node's REST endpoint.",
    },
    tags: [...tags].map((name) => ({
      name,
      description: name === RPC_TAG ? "CometBFT's JSON-RPC over HTTP" : `Queries of the module ${name}`,
    })),
    paths,
    components: {
      schemas: { ...schemas, ...rpcSchemas },
      parameters: { [HEIGHT_PARAMETER]: heightParameter },
      responses: errorComponents,
      securitySchemes: Object.fromEntries(schemes),
    },
    "x-legacy-aliases": aliases,
  };
}

/**
 * OpenAPI treats two paths that differ only in the names of parameters as one: the later one takes the names of the
 * first.
 */
function underKnownNames(written: TemplatePath, shapes: Map<string, TemplatePath>): TemplatePath {
  const shape = pathShape(written.path);
  const first = shapes.get(shape);
  if (first === undefined) shapes.set(shape, written);
  if (first === undefined || first.path === written.path) return written;
  const parameters = written.parameters.map((each, index) => ({
    ...each,
    name: first.parameters[index]?.name ?? each.name,
  }));
  return { path: first.path, parameters };
}

function isOpen({ settings: { gate } }: Deployment): boolean {
  return gate.mode === "none" || opensPath(gate.open, "/openapi.json");
}

function servedRoutes({ plan, methods }: Deployment): readonly Route[] {
  const shadowed = new Set(plan.table.shadowed.map(({ route }) => route));
  return plan.routes.filter((route) => !shadowed.has(route) && methods.get(route.bound)?.isDisabled === false);
}

/** `ixo.entity.v1beta1.Query/Params` as `IxoEntityV1beta1QueryParams`; further bindings of a method are numbered. */
function uniqueName({ bound }: Route, names: Map<string, number>): string {
  const name = bound.path
    .split(/[./]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
  const count = (names.get(name) ?? 0) + 1;
  names.set(name, count);
  return count === 1 ? name : `${name}${count}`;
}

function serversOf({ settings: { match } }: Deployment): JsonObject {
  return match.host === undefined ? {} : { servers: [{ url: `https://${match.host}` }] };
}
