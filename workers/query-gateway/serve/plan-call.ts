/**
 * Maps an HTTP request to its call: route, height, timeout, message. Calls no node; every fault of a request is found
 * here.
 */
import type { Message } from "@bufbuild/protobuf";
import { fail } from "../../../platform/failure.ts";
import { readBytes } from "../../../platform/http/body.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { Deployment, ServedMethod } from "../deployments/deployment.ts";
import { fieldNamed } from "../transcoding/fields.ts";
import { mapRequest } from "../transcoding/request/request-mapping.ts";
import type { Route } from "../transcoding/routes.ts";
import { HEIGHT_HEADER, parseHeight } from "../upstream/upstream.ts";

export interface PlannedCall {
  readonly route: Route;
  /** The values of the template's variables. */
  readonly values: readonly string[];
  readonly served: ServedMethod;
  readonly message: Message;
  /** Absent for the latest. */
  readonly height?: bigint;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** `path` is raw, without the profile's mount. */
export async function planCall(deployment: Deployment, request: Request, path: string): Promise<Result<PlannedCall>> {
  const { plan, settings, methods } = deployment;
  const { limits, query: querySettings } = settings;
  const match = plan.table.match(request.method, path);
  if (!match.ok) return match;
  const { route, values } = match.value;
  const served = methods.get(route.bound);
  if (served === undefined || served.isDisabled) return fail("not_implemented", "This method is disabled here");
  const timeoutMs = readTimeout(request.headers, limits.timeoutMs);
  if (!timeoutMs.ok) return timeoutMs;
  const query = takeHeight(rawQueryOf(request.url), querySettings.heightParam && !hasHeightField(route));
  const height = query.height === undefined ? readHeight(request.headers) : heightOf(query.height, "height");
  if (!height.ok) return height;
  if (route.body.kind !== "none" && isEncoded(request.headers))
    return fail("unsupported_media_type", "Send the body without Content-Encoding");
  const body = route.body.kind === "none" ? success(undefined) : await readBytes(request, limits.bodyBytes);
  if (!body.ok)
    return body.error === "too-large"
      ? fail("too_large", "The body is too large")
      : fail("invalid_request", "The body could not be read");
  const contentType = route.body.kind === "none" ? null : request.headers.get("Content-Type");
  const message = mapRequest(
    route,
    {
      values,
      query: query.rest,
      ...(body.value && { body: { bytes: body.value, ...(contentType !== null && { contentType }) } }),
    },
    { limits, strict: querySettings.strict, registry: served.set.schema.registry },
  );
  if (!message.ok) return message;
  return success({
    route,
    values,
    served,
    message: message.value,
    timeoutMs: timeoutMs.value,
    ...(height.value !== undefined && { height: height.value }),
  });
}

/** The limit of a compressed body would apply to its unpacked size, which is unknown in advance. */
export function isEncoded(headers: Headers): boolean {
  const coding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "";
  return coding !== "" && coding !== "identity";
}

/** Undecoded, without the `?`. */
function rawQueryOf(url: string): string {
  const start = url.indexOf("?");
  if (start < 0) return "";
  const end = url.indexOf("#", start);
  return url.slice(start + 1, end < 0 ? undefined : end);
}

function hasHeightField(route: Route): boolean {
  return fieldNamed(route.method.input, "height") !== undefined;
}

/** Removes `height=N` from the query, where it replaces the header. */
function takeHeight(query: string, isAllowed: boolean): { readonly rest: string; readonly height?: string } {
  if (!isAllowed || query === "") return { rest: query };
  const parameters = query.split("&");
  const found = parameters.find((parameter) => parameter.startsWith("height="));
  if (found === undefined) return { rest: query };
  return { rest: parameters.filter((each) => each !== found).join("&"), height: found.slice("height=".length) };
}

const PREFIXED_HEIGHT_HEADER = `grpc-metadata-${HEIGHT_HEADER}`;

/** The requested height; absent for the latest. The bare header wins over the prefixed one. */
export function readHeight(headers: Headers): Result<bigint | undefined> {
  const text = headers.get(HEIGHT_HEADER) ?? headers.get(PREFIXED_HEIGHT_HEADER);
  return text === null || text === "" ? success(undefined) : heightOf(text, HEIGHT_HEADER);
}

/** 0 means the latest too. */
function heightOf(text: string, name: string): Result<bigint | undefined> {
  const height = parseHeight(text);
  if (height === undefined) return fail("invalid_request", `${name} must be a block height`);
  return success(height === 0n ? undefined : height);
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/** Milliseconds, never more than `most`: a caller can lower the deadline but not raise it. */
export function readTimeout(headers: Headers, most: number): Result<number> {
  const text = headers.get("grpc-timeout");
  if (text === null) return success(most);
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  const scale = MILLISECONDS[unit];
  if (digits === undefined || scale === undefined)
    return fail("invalid_request", "grpc-timeout must be one to eight digits and one of H, M, S, m, u, n");
  return success(Math.min(Number(digits) * scale, most));
}
