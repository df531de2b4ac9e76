/**
 * A node that is asked over its own REST endpoint (contract D, section 7.2). Its JSON is today's answer already and goes
 * on unchanged; what is not JSON came from something before the node.
 */
import * as z from "zod";
import { abandon, readText } from "../../platform/http/body-bytes.ts";
import { isJsonObject } from "../../platform/json.ts";
import { parseJson } from "../../platform/parse-json.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { FaultDetail, GatewayFault } from "../gateway-fault.ts";
import { HEIGHT_HEADER, heightOf } from "./call-headers.ts";
import { writeLcdRequest } from "./lcd-request.ts";
import { noAnswer, nodeSaid, refusalOf, unable, unreachable, unreadBody } from "./node-failures.ts";
import type { NodeClient, NodeFailure, NodeSettings, UpstreamParts } from "./upstream.ts";

export interface LcdClientParts extends Pick<UpstreamParts, "fetch"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  readonly responseBytes: number;
}

export const isJsonType = (headers: Headers): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers.get("content-type") ?? "");

export function createLcdClient({ node, fetch, responseBytes }: LcdClientParts): NodeClient {
  return {
    call: async ({ bound, message, height, signal }) => {
      const request = writeLcdRequest(bound, message);
      if (request === undefined) return failure(unable("No node can be asked this over its REST endpoint"));
      let response: Response;
      try {
        response = await fetch(node.url + request.path, {
          method: request.method,
          headers: {
            ...node.headers,
            ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }),
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
        return failure(status === 200 ? noAnswer("it is not JSON") : refusalOf(status));
      }
      const text = await readText(response, responseBytes);
      if (!text.ok) return failure(unreadBody(text.error));
      const told = heightOf(headers.get(`grpc-metadata-${HEIGHT_HEADER}`) ?? headers.get(HEIGHT_HEADER));
      if (status === 200) return asDocument(text.value, told);
      return failure(readFailure(status, text.value, told));
    },
    stream: async () => failure(unable("A node's REST endpoint does not stream")),
  };
}

function asDocument(text: string, height: bigint | undefined): Awaited<ReturnType<NodeClient["call"]>> {
  // Half a document is no document; this is the only check of a body that comes without a frame.
  return parseJson(text).ok ? success({ kind: "json", text, height }) : failure(noAnswer("it is not JSON"));
}

const statusBody = z.object({
  code: z.int().min(1),
  message: z.string(),
  details: z.array(z.unknown()).default([]),
});

/** HTTP statuses of failures: anything else beside a failure's body would go out as a success, or as no status at all. */
const isFailure = (status: number): boolean => status >= 400 && status <= 599;

/** A body that is a gRPC status speaks for the node, whichever HTTP failure is beside it; any other is a balancer's. */
function readFailure(status: number, text: string, height: bigint | undefined): NodeFailure {
  const parsed: Result<unknown, unknown> = parseJson(text);
  const body = statusBody.safeParse(parsed.ok ? parsed.value : undefined);
  if (!body.success || !isFailure(status)) return refusalOf(status);
  const details = body.data.details.filter(isJsonObject).map((detail): FaultDetail => ({
    kind: "json",
    text: JSON.stringify(detail),
  }));
  const fault: GatewayFault = { code: body.data.code, message: body.data.message, status, details };
  return nodeSaid({ ...fault, ...(height !== undefined && { height }) });
}
