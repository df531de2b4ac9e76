/** The input of a resolution (W3C DID Resolution): the DID, its options, and the possible errors. */
import { newFailure, type Failure, type FailureCode } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { isDid } from "../did.ts";
import { DOMAIN_ID_PREFIX, isDomainId } from "../domain/domain-id.ts";
import { parseTime } from "../domain/time.ts";
import type { VersionWanted } from "../store/history-store.ts";

/** The errors of the standard, as reasons. */
const codes = {
  INVALID_DID: "invalid_request",
  INVALID_OPTIONS: "invalid_request",
  NOT_FOUND: "not_found",
  REPRESENTATION_NOT_SUPPORTED: "not_acceptable",
  METHOD_NOT_SUPPORTED: "not_implemented",
  FEATURE_NOT_SUPPORTED: "not_implemented",
} as const satisfies Readonly<Record<string, FailureCode>>;

export type ResolutionReason = keyof typeof codes;

export function isResolutionReason(text: string | undefined): text is ResolutionReason {
  return text !== undefined && Object.hasOwn(codes, text);
}

export function codeOfResolution(reason: ResolutionReason): FailureCode {
  return codes[reason];
}

export function resolutionFailure(reason: ResolutionReason, message: string): Failure {
  return newFailure(codes[reason], message, { reason });
}

export interface ResolutionRequest {
  readonly did: string;
  /** Undefined for the current version. */
  readonly version: VersionWanted | undefined;
}

const options = ["versionId", "versionTime", "noCache", "expandRelativeUrls"];

export function readResolution(did: string, parameters: URLSearchParams): Result<ResolutionRequest> {
  const unfit = didFailure(did) ?? optionsFailure(parameters);
  if (unfit !== undefined) return failure(unfit);
  const [versionId, versionTime] = [parameters.get("versionId"), parameters.get("versionTime")];
  if (versionId !== null) {
    if (/^[0-9a-f]{64}$/.test(versionId)) return success({ did, version: { versionId } });
    return failure(resolutionFailure("INVALID_OPTIONS", "versionId must be 64 lower-case hexadecimal characters"));
  }
  if (versionTime === null) return success({ did, version: undefined });
  const instant = parseTime(versionTime);
  if (instant !== undefined) return success({ did, version: { at: instant.milliseconds } });
  return failure(resolutionFailure("INVALID_OPTIONS", "versionTime must be an RFC 3339 time"));
}

function didFailure(did: string): Failure | undefined {
  if (!isDid(did)) return resolutionFailure("INVALID_DID", "Name a DID without path, query and fragment");
  if (!did.startsWith("did:ixo:")) {
    return resolutionFailure("METHOD_NOT_SUPPORTED", "Only did:ixo can be resolved here");
  }
  if (!did.startsWith(DOMAIN_ID_PREFIX) || isDomainId(did)) return undefined;
  return resolutionFailure("INVALID_DID", `${DOMAIN_ID_PREFIX} is followed by 32 lower-case hexadecimal characters`);
}

function optionsFailure(parameters: URLSearchParams): Failure | undefined {
  const invalid = (message: string) => resolutionFailure("INVALID_OPTIONS", message);
  for (const name of parameters.keys()) {
    if (!options.includes(name)) return invalid(`Options are ${options.join(", ")}`);
    if (parameters.getAll(name).length > 1) return invalid("Give each option once");
  }
  if (parameters.has("versionId") && parameters.has("versionTime")) {
    return invalid("Give versionId or versionTime, not both");
  }
  if (parameters.get("expandRelativeUrls") !== "true") return undefined;
  return resolutionFailure("FEATURE_NOT_SUPPORTED", "expandRelativeUrls is not supported; ids are absolute already");
}
