/** What a resolution is asked for (contract/registry.md section 8; W3C DID Resolution): the DID and its options. */
import { isDid } from "../did.ts";
import { DOMAIN_ID_PREFIX, isDomainId } from "../domain/domain-id.ts";
import { parseTime } from "../domain/time.ts";
import type { VersionWanted } from "../store/history-store.ts";

export type ResolutionError =
  | "INVALID_DID"
  | "INVALID_OPTIONS"
  | "NOT_FOUND"
  | "METHOD_NOT_SUPPORTED"
  | "FEATURE_NOT_SUPPORTED"
  | "REPRESENTATION_NOT_SUPPORTED";

export interface ResolutionRefusal {
  readonly code: ResolutionError;
  readonly detail: string;
}

export interface ResolutionRequest {
  readonly did: string;
  /** Undefined: as it is now. */
  readonly version: VersionWanted | undefined;
}

const options = ["versionId", "versionTime", "noCache", "expandRelativeUrls"];

export function readResolution(did: string, parameters: URLSearchParams): ResolutionRequest | ResolutionRefusal {
  const detail = detailOfDid(did) ?? detailOfOptions(parameters);
  if (detail !== undefined) return detail;
  const [versionId, versionTime] = [parameters.get("versionId"), parameters.get("versionTime")];
  if (versionId !== null) {
    if (/^[0-9a-f]{64}$/.test(versionId)) return { did, version: { versionId } };
    return { code: "INVALID_OPTIONS", detail: "versionId must be 64 lower-case hexadecimal characters" };
  }
  if (versionTime === null) return { did, version: undefined };
  const instant = parseTime(versionTime);
  if (instant === undefined) return { code: "INVALID_OPTIONS", detail: "versionTime must be an RFC 3339 time" };
  return { did, version: { at: instant.milliseconds } };
}

function detailOfDid(did: string): ResolutionRefusal | undefined {
  if (!isDid(did)) return { code: "INVALID_DID", detail: "Name a DID without path, query and fragment" };
  if (!did.startsWith("did:ixo:")) return { code: "METHOD_NOT_SUPPORTED", detail: "Only did:ixo is resolved here" };
  if (!did.startsWith(DOMAIN_ID_PREFIX) || isDomainId(did)) return undefined;
  return { code: "INVALID_DID", detail: `${DOMAIN_ID_PREFIX} is followed by 32 lower-case hexadecimal characters` };
}

function detailOfOptions(parameters: URLSearchParams): ResolutionRefusal | undefined {
  for (const name of parameters.keys()) {
    if (!options.includes(name)) return { code: "INVALID_OPTIONS", detail: `Options are ${options.join(", ")}` };
    if (parameters.getAll(name).length > 1) return { code: "INVALID_OPTIONS", detail: "Give each option once" };
  }
  if (parameters.has("versionId") && parameters.has("versionTime")) {
    return { code: "INVALID_OPTIONS", detail: "Give versionId or versionTime, not both" };
  }
  if (parameters.get("expandRelativeUrls") !== "true") return undefined;
  return { code: "FEATURE_NOT_SUPPORTED", detail: "expandRelativeUrls is not supported; ids are absolute already" };
}
