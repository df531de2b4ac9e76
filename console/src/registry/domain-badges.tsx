/** The two states of a domain as badges: whether it is verified, and whether it is active. */
import { Badge, type Tone } from "../kit/badge.tsx";
import { registryTexts, statusNames, verificationNames } from "../texts/registry.ts";
import type { Domain } from "./domain-record.ts";

const verificationTones: Readonly<Record<Domain["verificationStatus"], Tone>> = {
  AwaitingVerification: "neutral",
  UnderVote: "info",
  Verified: "ok",
  Rejected: "danger",
  Revoked: "danger",
};

export function VerificationBadge({
  domain,
}: {
  readonly domain: Pick<Domain, "verificationStatus" | "changedSinceVerification">;
}) {
  const { verificationStatus, changedSinceVerification } = domain;
  if (verificationStatus === "Verified" && changedSinceVerification.length > 0)
    return <Badge tone="warn">{registryTexts.verifiedChanged}</Badge>;
  return <Badge tone={verificationTones[verificationStatus]}>{verificationNames[verificationStatus]}</Badge>;
}

const statusTones: Readonly<Record<Domain["status"], Tone>> = {
  active: "neutral",
  suspended: "warn",
  deactivated: "danger",
};

export function StatusBadge({ status }: { readonly status: Domain["status"] }) {
  return <Badge tone={statusTones[status]}>{statusNames[status]}</Badge>;
}
