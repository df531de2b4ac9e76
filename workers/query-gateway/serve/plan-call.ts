/**
 * From an HTTP request to the call that it means (contract D, sections 2, 3 and 5): route, height, deadline, message. Asks
 * nobody; everything that can be wrong with a request is found here.
 */
import type { Message } from "@bufbuild/protobuf";
import { readBytes } from "../../platform/http/body-bytes.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { Deployment, MethodParts } from "../deployments/deployment.ts";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";
import { fieldNamed } from "../transcoding/fields.ts";
import type { TranscodingFault } from "../transcoding/limits.ts";
import { mapRequest } from "../transcoding/request/request-mapping.ts";
import type { Route } from "../transcoding/routes.ts";
import { parseHeight, readHeight, readTimeout } from "../upstream/call-headers.ts";

export interface PlannedCall {
  readonly route: Route;
  /** Of the template's variables. */
  readonly values: readonly string[];
  readonly parts: MethodParts;
  readonly message: Message;
  /** Absent: the latest. */
  readonly height?: bigint;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

const bodyTooLarge: GatewayFault = { code: GRPC.resourceExhausted, status: 413, message: "The body is too large" };
const bodyBroken: GatewayFault = { code: GRPC.invalidArgument, message: "The body could not be read" };

/** `path` is raw, without the deployment's mount. */
export async function planCall(
  deployment: Deployment,
  request: Request,
  path: string,
): Promise<Result<PlannedCall, GatewayFault>> {
  const { plan, settings, partsOf, isDisabled } = deployment;
  const { limits, query: querySettings } = settings;
  const match = plan.table.match(request.method, path);
  if (!match.ok) return failure(faultOf(match.error));
  const { route, values } = match.value;
  if (isDisabled(route.bound)) {
    return failure({ code: GRPC.unimplemented, message: "This method is disabled here" });
  }
  const timeoutMs = readTimeout(request.headers, limits.timeoutMs);
  if (!timeoutMs.ok) return timeoutMs;
  const query = takeHeight(rawQueryOf(request.url), querySettings.heightParam && !hasHeightField(route));
  const height = query.height === undefined ? readHeight(request.headers) : heightParameter(query.height);
  if (!height.ok) return height;
  const body = route.body.kind === "none" ? success(undefined) : await readBytes(request, limits.bodyBytes);
  if (!body.ok) return failure(body.error === "too-large" ? bodyTooLarge : bodyBroken);
  const contentType = route.body.kind === "none" ? null : request.headers.get("Content-Type");
  const parts = partsOf(route.bound);
  const message = mapRequest(
    route,
    {
      values,
      query: query.rest,
      ...(body.value && { body: { bytes: body.value, ...(contentType !== null && { contentType }) } }),
    },
    { limits, strict: querySettings.strict, registry: parts.set.schema.registry },
  );
  if (!message.ok) return failure(faultOf(message.error));
  return success({
    route,
    values,
    parts,
    message: message.value,
    timeoutMs: timeoutMs.value,
    ...(height.value !== undefined && { height: height.value }),
  });
}

export function faultOf({ kind, message, allow }: TranscodingFault): GatewayFault {
  switch (kind) {
    case "not-found":
      return { code: GRPC.notFound, message };
    case "method-not-allowed":
      return { code: GRPC.unimplemented, status: 405, message, ...(allow && { allow }) };
    case "invalid-argument":
      return { code: GRPC.invalidArgument, message };
    case "too-long":
      return { code: GRPC.invalidArgument, status: 414, message };
  }
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

/** Takes `height=N` out of the query: it stands for the header. */
function takeHeight(query: string, isAllowed: boolean): { readonly rest: string; readonly height?: string } {
  if (!isAllowed || query === "") return { rest: query };
  const parameters = query.split("&");
  const found = parameters.find((parameter) => parameter.startsWith("height="));
  if (found === undefined) return { rest: query };
  return { rest: parameters.filter((each) => each !== found).join("&"), height: found.slice("height=".length) };
}

function heightParameter(text: string): Result<bigint | undefined, GatewayFault> {
  const height = parseHeight(text);
  if (height === undefined) return failure({ code: GRPC.invalidArgument, message: "height must be a block height" });
  return success(height === 0n ? undefined : height);
}
