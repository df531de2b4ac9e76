/** Gate and rate of a deployment, in this order and before routing (contract D, section 12; decisions 1.7). */
import { failure, success, type Result } from "../platform/result.ts";
import type { Deployment } from "./deployment.ts";
import { GRPC, type GatewayFault } from "./gateway-fault.ts";
import type { Serving } from "./serving.ts";

export async function admit(
  { gate, rate, attempts, settings }: Deployment,
  { request, path, address }: Serving,
): Promise<Result<undefined, GatewayFault>> {
  if (gate === undefined && rate === undefined) return success(undefined);
  const from = address();
  let label: string | undefined;
  if (gate !== undefined) {
    const braked = attempts?.refusal(from);
    if (braked !== undefined) return tooOften(braked.message, braked.retryAfter ?? 1);
    const admitted = await gate(request.headers, path);
    if (!admitted.ok) {
      if (admitted.error.code === GRPC.permissionDenied) attempts?.failed(from);
      return admitted;
    }
    label = admitted.value;
  }
  const caller = settings.rate?.by === "key" && label !== undefined ? `key ${label}` : `address ${from}`;
  const wait = rate?.(caller) ?? 0;
  return wait > 0 ? tooOften("Too many requests", wait) : success(undefined);
}

function tooOften(message: string, retryAfter: number): Result<never, GatewayFault> {
  return failure({ code: GRPC.resourceExhausted, message, retryAfter });
}
