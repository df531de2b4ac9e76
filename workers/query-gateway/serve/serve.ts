/** One request to one deployment: OPTIONS, access control, the call that the request means, the answer. */
import type { Message } from "@bufbuild/protobuf";
import type { Logger } from "../../platform/log.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { GRPC, internalFault, type GatewayFault } from "../gateway-fault.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { addDeprecation } from "./deprecation.ts";
import { faultOf, planCall, type PlannedCall } from "./plan-call.ts";
import { addHeight, printDocument } from "./response.ts";
import { faultBody, faultResponse } from "./rpc-status.ts";
import type { SingleFlight } from "./single-flight.ts";
import { LINES_TYPE, lineStream } from "./stream-answer.ts";
import { answerUnary, detailWriter, upstreamCall, type Made } from "./unary-answer.ts";

export async function serve(deployment: Deployment, serving: Serving): Promise<Response> {
  const { request, path, address } = serving;
  if (request.method === "OPTIONS") return answerOptions(deployment, path);
  const admitted = await deployment.admit({ headers: request.headers, path, address });
  if (!admitted.ok) return faultResponse(admitted.error, faultBody(admitted.error));
  const planned = await planCall(deployment, request, path);
  if (!planned.ok) {
    const details = planned.error.code === GRPC.notFound ? deployment.hintFor(path) : [];
    return faultResponse(planned.error, faultBody({ ...planned.error, details }));
  }
  const call = planned.value;
  const response =
    call.route.method.methodKind === "server_streaming"
      ? await answerStream(deployment, call, serving)
      : await answerUnary(deployment, call, serving);
  if (call.route.isDeprecated) {
    const query = new URL(request.url).search.slice(1);
    addDeprecation(response.headers, { ...call, query, mount: deployment.settings.match.mount ?? "" });
  }
  return response;
}

/** Never asks a node. Behind a gate every path looks the same. */
function answerOptions({ settings, plan }: Deployment, path: string): Response {
  const allowed =
    settings.gate.mode === "none" ? plan.table.allowed(path) : success(["GET", "HEAD", "POST", "OPTIONS"]);
  if (!allowed.ok) {
    const fault = faultOf(allowed.error);
    return faultResponse(fault, faultBody(fault));
  }
  return new Response(null, { status: 204, headers: { Allow: allowed.value.join(", ") } });
}

async function answerStream(deployment: Deployment, call: PlannedCall, { clock, request }: Serving): Promise<Response> {
  const opened = await deployment.upstream.stream(
    upstreamCall(deployment, call, { deadline: clock() + call.timeoutMs, signal: request.signal }),
  );
  if (!opened.ok) {
    const response = faultResponse(opened.error, faultBody(opened.error, detailWriter(call)));
    addHeight(response.headers, opened.error.height?.toString());
    return response;
  }
  const print = (message: Message): Result<string, GatewayFault> => {
    const document = printDocument(call.route.response, message, call.parts.writer);
    return document.ok ? success(new TextDecoder().decode(document.value.body)) : failure(internalFault);
  };
  const { messages, height } = opened.value;
  const body = lineStream(messages, print, (fault) => faultBody(fault, detailWriter(call)));
  const response = new Response(body, { headers: { "Content-Type": LINES_TYPE, "Cache-Control": "no-store" } });
  addHeight(response.headers, height?.toString());
  return response;
}

export interface Serving {
  readonly request: Request;
  /** Raw, without the deployment's mount. */
  readonly path: string;
  /** What rate and failed attempts are counted by. */
  readonly address: () => string;
  readonly cache: AnswerCache;
  readonly flights: SingleFlight<Made>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
  readonly waitUntil: (work: Promise<unknown>) => void;
}
