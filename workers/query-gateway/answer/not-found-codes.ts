/**
 * `json.notFoundCodes` (contract D, section 6): nodes say "unknown" where a claim or a bond is not there. With the switch on
 * HTTP says 404; the `code` member stays the node's.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { GRPC, type GatewayFault } from "../gateway-fault.ts";

/** Claims: collection, claim and dispute not found. */
const MISSING_CLAIM = /codespace claims code (?:1001|1100|1200)\b/;

export function missingIsNotFound(method: DescMethod, fault: GatewayFault): GatewayFault {
  if (fault.code !== GRPC.unknown) return fault;
  const isBond = method.parent.typeName.startsWith("ixo.bonds.") && fault.message.includes("does not exist");
  return isBond || MISSING_CLAIM.test(fault.message) ? { ...fault, status: 404 } : fault;
}
