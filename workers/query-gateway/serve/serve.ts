/** Handles one request to one chain profile: OPTIONS, access control, its call, the response. */
import type { Failure } from "../../../platform/failure.ts";
import { ofUnknownPath } from "../../../platform/http/unknown-path.ts";
import { success } from "../../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { challengeOf } from "../access/authenticate.ts";
import { addDeprecation } from "./deprecation.ts";
import { planCall } from "./plan-call.ts";
import { answerRpc, RPC_VERBS } from "./rpc-methods.ts";
import { refusal } from "./rpc-status.ts";
import { answerStream } from "./stream-answer.ts";
import { answerUnary } from "./unary-answer.ts";
import type { RequestContext } from "./request-context.ts";

export async function serve(deployment: Deployment, context: RequestContext): Promise<Response> {
  const { request, path, address } = context;
  const { settings, checkAccess, rpcPath } = deployment;
  if (request.method === "OPTIONS") return answerOptions(deployment, path);
  const access = await checkAccess?.({ headers: request.headers, path, address });
  if (access?.ok === false) {
    const challenge = access.error.code === "unauthenticated" && challengeOf(settings.gate.mode);
    return refusal(access.error, challenge ? { headers: { "WWW-Authenticate": challenge } } : {});
  }
  if (isBelow(path, rpcPath)) return answerRpc(deployment, context, path.slice(rpcPath?.length));
  const planned = await planCall(deployment, request, path);
  if (!planned.ok) return refuseCall(deployment, path, planned.error);
  const call = planned.value;
  const isStream = call.route.method.methodKind === "server_streaming";
  const response = isStream
    ? await answerStream(deployment, call, context)
    : await answerUnary(deployment, call, context);
  if (call.route.isDeprecated) {
    const query = new URL(request.url).search.slice(1);
    addDeprecation(response.headers, { ...call, query, mount: settings.match.mount ?? "" });
  }
  return response;
}

function isBelow(path: string, rpcPath: string | undefined): boolean {
  return rpcPath !== undefined && path.startsWith(rpcPath) && (path === rpcPath || path[rpcPath.length] === "/");
}

/** Calls no node. With access control every path looks alike. */
function answerOptions({ settings, plan, rpcPath }: Deployment, path: string): Response {
  if (isBelow(path, rpcPath)) return new Response(null, { status: 204, headers: { Allow: RPC_VERBS } });
  const allowed =
    settings.gate.mode === "none" ? plan.table.allowed(path) : success(["GET", "HEAD", "POST", "OPTIONS"]);
  if (!allowed.ok) return refusal(allowed.error);
  return new Response(null, { status: 204, headers: { Allow: allowed.value.join(", ") } });
}

function refuseCall({ plan, hintFor }: Deployment, path: string, error: Failure): Response {
  if (error.code === "not_found") return ofUnknownPath(refusal(error, { details: hintFor(path) }));
  // The accepted types (RFC 9110, section 12.5.3).
  if (error.code === "unsupported_media_type") return refusal(error, { headers: { "Accept-Encoding": "identity" } });
  const allowed = error.code === "method_not_allowed" ? plan.table.allowed(path) : undefined;
  return refusal(error, allowed?.ok === true ? { headers: { Allow: allowed.value.join(", ") } } : {});
}
