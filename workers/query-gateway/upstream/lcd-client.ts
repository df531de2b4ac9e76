/**
 * A node called through its own REST endpoint. Its JSON is already the gateway's response and passes unchanged;
 * anything else came from a proxy in front of the node.
 */
import type { DescMessage } from "@bufbuild/protobuf";
import * as z from "zod";
import { abandon, readText } from "../../../platform/http/body.ts";
import { isJsonObject, parseJson } from "../../../platform/json.ts";
import { failure, success } from "../../../platform/result.ts";
import { fieldNamed } from "../transcoding/fields.ts";
import type { BoundMethod } from "../transcoding/http-rule.ts";
import { writeLcdRequest } from "./lcd-request.ts";
import { badAnswer, refusedWith, resultOf, unreachable, unreadBody, unsupported } from "./node-failures.ts";
import {
  HEIGHT_HEADER,
  reportedHeight,
  type NodeClient,
  type NodeFailure,
  type NodeSettings,
  type NodeStatus,
  type StatusDetail,
  type UpstreamDependencies,
} from "./upstream.ts";

export interface LcdClientOptions extends Pick<UpstreamDependencies, "fetch"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  readonly responseBytes: number;
}

export const isJsonType = (headers: Headers): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers.get("content-type") ?? "");

export function createLcdClient({ node, fetch, responseBytes }: LcdClientOptions): NodeClient {
  return {
    call: async ({ bound, message, height: requested, signal }) => {
      const request = writeLcdRequest(bound, message);
      if (request === undefined) return failure(unsupported("A node's REST endpoint does not serve this method"));
      let response: Response;
      try {
        response = await fetch(node.url + request.path, {
          method: request.method,
          headers: {
            ...node.headers,
            ...(requested !== undefined && { [HEIGHT_HEADER]: String(requested) }),
            ...(request.body !== undefined && { "Content-Type": "application/json" }),
          },
          ...(request.body !== undefined && { body: request.body }),
          redirect: "manual",
          signal,
        });
      } catch {
        return failure(unreachable);
      }
      const { headers, status } = response;
      if (!isJsonType(headers) || (status >= 300 && status < 400)) {
        abandon(response.body);
        return resultOf(status === 200 ? badAnswer("it is not JSON") : refusedWith(status));
      }
      const text = await readText(response, responseBytes);
      if (!text.ok) return failure(unreadBody(text.error));
      const height = reportedHeight(headers.get(`grpc-metadata-${HEIGHT_HEADER}`) ?? headers.get(HEIGHT_HEADER));
      const json = parseJson(text.value);
      if (status !== 200) return resultOf(statusIn(json.ok ? json.value : undefined, status, height));
      // A truncated document is invalid; this is the only check of a body without a frame.
      if (!json.ok) return failure(badAnswer("it is not JSON"));
      if (!isDocumentOf(bound, json.value)) return failure(badAnswer("its JSON is not a message of this method"));
      return success({ kind: "json", text: text.value, ...(height !== undefined && { height }) });
    },
    stream: async () => failure(unsupported("A node's REST endpoint does not stream")),
  };
}

/**
 * An object, unless the method's own document is a list or a value; and not a gRPC status, unless the method's message
 * looks like one: the errors of a proxy that turns them into successes must not be cached.
 */
function isDocumentOf({ method: { output }, rules }: BoundMethod, json: unknown): boolean {
  const field = output.fields.find(({ name }) => name === rules[0]?.responseBody);
  const type = field === undefined ? output : field.message;
  if (field !== undefined && field.fieldKind !== "message") return !statusBody.safeParse(json).success;
  if (type === undefined || (isWellKnown(type) && !isJsonObject(json))) return true;
  const isStatusLike = ["code", "message"].every((name) => fieldNamed(type, name) !== undefined);
  return isJsonObject(json) && (isStatusLike || !statusBody.safeParse(json).success);
}

/** A type with a special JSON form. */
const isWellKnown = ({ typeName }: DescMessage): boolean =>
  typeName.startsWith("google.protobuf.") && typeName !== "google.protobuf.Empty";

const statusBody = z.object({
  code: z.int().min(1),
  message: z.string(),
  details: z.array(z.unknown()).default([]),
});

/**
 * HTTP statuses of failures: a failure's body with any other status would be sent as a success, or without a status.
 */
const isFailure = (status: number): boolean => status >= 400 && status <= 599;

/** A body that is a gRPC status comes from the node, whatever the HTTP status; any other comes from a load balancer. */
function statusIn(json: unknown, httpStatus: number, height: bigint | undefined): NodeStatus | NodeFailure {
  const body = statusBody.safeParse(json);
  if (!body.success || !isFailure(httpStatus)) return refusedWith(httpStatus);
  const details = body.data.details.filter(isJsonObject).map((detail): StatusDetail => ({
    kind: "json",
    text: JSON.stringify(detail),
  }));
  const { code, message } = body.data;
  return { kind: "status", code, message, httpStatus, details, ...(height !== undefined && { height }) };
}
