/** The transcoder's result for a request line, in a form for tables: the rpc and its request as JSON, or the failure. */
import { toJson, type Message } from "@bufbuild/protobuf";
import { success, type Result } from "../../../platform/result.ts";
import { loadSchema, type Schema } from "../../../workers/query-gateway/descriptors/schema.ts";
import { defaultLimits } from "../../../workers/query-gateway/transcoding/limits.ts";
import { mapRequest, type MappingOptions } from "../../../workers/query-gateway/transcoding/request/request-mapping.ts";
import {
  planRoutes,
  type Route,
  type RouteOptions,
  type RoutePlan,
} from "../../../workers/query-gateway/transcoding/routes.ts";
import { defaultRouteOptions } from "./gateway-fixture.ts";

export type Call =
  | { readonly rpc: string; readonly request: unknown; readonly successor?: string }
  | { readonly failure: string; readonly allow?: string };

export interface Transcoder {
  readonly schema: Schema;
  readonly plan: RoutePlan;
  /** `line` is `/path?query` for a GET, otherwise `METHOD /path?query`; it passes through a URL as a request does. */
  readonly call: (line: string, body?: string | Uint8Array, contentType?: string) => Call;
  /** The result before it is formatted: not every request that can be sent has a JSON form. */
  readonly map: (line: string, body?: string | Uint8Array, contentType?: string) => Result<Mapped>;
}

export interface Mapped {
  readonly route: Route;
  readonly message: Message;
}

export function createTranscoder(
  image: Uint8Array,
  routing: Partial<RouteOptions> = {},
  mapping: Partial<MappingOptions> = {},
): Transcoder {
  const schema = loadSchema(image);
  const limits = mapping.limits ?? defaultLimits;
  const plan = planRoutes(schema.methods, { ...defaultRouteOptions, ...routing }, limits);
  const map: Transcoder["map"] = (line, body, contentType) => {
    const [first = "", second] = line.split(" ");
    const url = new URL(`http://gateway${second ?? first}`);
    const match = plan.table.match(second === undefined ? "GET" : first, url.pathname);
    if (!match.ok) return match;
    const { route, values } = match.value;
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const parts = {
      values,
      query: url.search.slice(1),
      ...(bytes && { body: { bytes, ...(contentType && { contentType }) } }),
    };
    const message = mapRequest(route, parts, { limits, strict: false, registry: schema.registry, ...mapping });
    return message.ok ? success({ route, message: message.value }) : message;
  };
  const call: Transcoder["call"] = (...request) => {
    const mapped = map(...request);
    if (!mapped.ok) {
      const { code } = mapped.error;
      const [line] = request;
      const { pathname } = new URL(`http://gateway${line.split(" ")[1] ?? line}`);
      const allowed = code === "method_not_allowed" ? plan.table.allowed(pathname) : undefined;
      return { failure: code, ...(allowed?.ok && { allow: allowed.value.join(", ") }) };
    }
    const { route, message } = mapped.value;
    return {
      rpc: route.method.name,
      request: toJson(route.method.input, message, { registry: schema.registry, useProtoFieldName: true }),
      ...(route.successor && { successor: route.successor.template.text }),
    };
  };
  return { schema, plan, call, map };
}
