/** Gate and rate of a deployment, in this order and before routing (contract D, section 12; decisions 1.7). */
import type { AttemptLimit } from "../../platform/http/attempt-limit.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";
import type { Gate } from "./gate.ts";

/** What of a request it looks at. */
export interface Applicant {
  readonly headers: Headers;
  /** Raw, without the deployment's mount. */
  readonly path: string;
  /** What rate and failed attempts are counted by; not asked for where nothing is counted. */
  readonly address: () => string;
}

export type Admit = (applicant: Applicant) => Promise<Result<undefined, GatewayFault>>;

export interface AdmissionParts {
  readonly gate?: Gate;
  readonly rate?: {
    /** Whole seconds to wait, 0 when the caller may go on. */
    readonly waitOf: (caller: string) => number;
    readonly by: "ip" | "key";
  };
  /** Of wrong keys; absent in development. */
  readonly attempts?: AttemptLimit;
}

export function createAdmission({ gate, rate, attempts }: AdmissionParts): Admit {
  return async ({ headers, path, address }) => {
    if (gate === undefined && rate === undefined) return success(undefined);
    const from = address();
    let label: string | undefined;
    if (gate !== undefined) {
      const braked = attempts?.refusal(from);
      if (braked !== undefined) return tooOften(braked.message, braked.retryAfter ?? 1);
      const admitted = await gate(headers, path);
      if (!admitted.ok) {
        if (admitted.error.code === GRPC.permissionDenied) attempts?.failed(from);
        return admitted;
      }
      label = admitted.value;
    }
    const caller = rate?.by === "key" && label !== undefined ? `key ${label}` : `address ${from}`;
    const wait = rate?.waitOf(caller) ?? 0;
    return wait > 0 ? tooOften("Too many requests", wait) : success(undefined);
  };
}

function tooOften(message: string, retryAfter: number): Result<never, GatewayFault> {
  return failure({ code: GRPC.resourceExhausted, message, retryAfter });
}
