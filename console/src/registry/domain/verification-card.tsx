/** Whether a domain is verified, why it may or may not take part, and what can be done next. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { domainHref, newProposalHref, proposalHref } from "../../kit/addresses.ts";
import { Age } from "../../kit/age.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { memberNames } from "../../texts/domain-members.ts";
import { domainTexts } from "../../texts/registry-domain.ts";
import type { Domain } from "../domain-record.ts";
import { useRights } from "../../session/use-rights.ts";

export function VerificationCard({ domain }: { readonly domain: Domain }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}/eligibility", { params: { path: { id: domain.id } } });
  return (
    <section className="card" aria-labelledby="verification-heading">
      <h2 id="verification-heading">{domainTexts.verification}</h2>
      <Loaded query={query} loading={<Skeleton rows={1} />} showsAge={false}>
        {({ eligible, reasons }) =>
          eligible ? <p>{domainTexts.eligible}</p> : <NotEligible domain={domain} reasons={reasons} />
        }
      </Loaded>
      {domain.verifiedAt !== null && domain.verifiedVersion !== null && (
        <p className="muted">
          {domainTexts.verifiedAt(domain.verifiedVersion)} <Age at={domain.verifiedAt} />
        </p>
      )}
      {domain.changedSinceVerification.length > 0 && (
        <div className="notice warn">
          <div className="stack tight">
            <p>
              {domainTexts.changedSince}{" "}
              <strong>{domain.changedSinceVerification.map((member) => memberNames[member]).join(", ")}</strong>
            </p>
            <p className="small">{domainTexts.changedSinceHint}</p>
            <p>
              <Link href={domainHref(domain.id, "history")}>{domainTexts.seeHistory}</Link>
            </p>
          </div>
        </div>
      )}
      <NextStep domain={domain} />
    </section>
  );
}

function NextStep({ domain }: { readonly domain: Domain }) {
  const mayPropose = useRights()?.mayPropose === true;
  if (domain.openProposalId !== null)
    return (
      <p className="next-row">
        <span>{domainTexts.openProposal}</span>
        <Link href={proposalHref(domain.openProposalId)} className="button primary">
          {domainTexts.seeProposal}
        </Link>
      </p>
    );
  if (domain.status !== "active") return null;
  if (domain.verificationStatus === "Verified")
    return (
      <div className="next-row">
        <p className="muted">{domainTexts.nextVerified}</p>
        {mayPropose && (
          <Link href={newProposalHref(domain.id, "revoke")} className="button">
            {domainTexts.proposeRevocation}
          </Link>
        )}
      </div>
    );
  const next = {
    AwaitingVerification: domainTexts.nextAwaiting,
    UnderVote: domainTexts.openProposal,
    Rejected: domainTexts.nextRejected,
    Revoked: domainTexts.nextRevoked,
  }[domain.verificationStatus];
  return (
    <div className="next-row">
      <p>{next}</p>
      {mayPropose && (
        <Link href={newProposalHref(domain.id)} className="button primary">
          {domainTexts.propose}
        </Link>
      )}
    </div>
  );
}

/** The registry's code for a state that is not verified. */
const reasonOf: Readonly<Partial<Record<Domain["verificationStatus"], string>>> = {
  AwaitingVerification: "awaiting_verification",
  UnderVote: "under_vote",
  Rejected: "rejected",
  Revoked: "revoked",
};

interface NotEligibleProps {
  readonly domain: Domain;
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
}

/** The state beside the title says already that it is not verified, so this sentence alone repeats it. */
function NotEligible({ domain, reasons }: NotEligibleProps) {
  const others = reasons.filter(({ code }) => code !== reasonOf[domain.verificationStatus]);
  if (others.length === 0) return <p>{domainTexts.notEligibleYet}</p>;
  return (
    <div>
      <p>{domainTexts.notEligible}</p>
      <ul>
        {others.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
