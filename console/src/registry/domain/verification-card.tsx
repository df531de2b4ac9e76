/** Whether a domain is verified, whether it may take part and why, and the next step. */
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { domainHref, newProposalHref, proposalHref } from "../../kit/addresses.ts";
import { Age } from "../../kit/age.tsx";
import { Loaded, Skeleton } from "../../kit/loaded.tsx";
import { useRights } from "../../session/use-caller.ts";
import { memberNames } from "../../texts/domain-members.ts";
import { domainTexts } from "../../texts/registry.ts";
import type { Domain } from "../domain-record.ts";

export function VerificationCard({ domain }: { readonly domain: Domain }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}/eligibility", { params: { path: { id: domain.id } } });
  return (
    <section className="card" aria-labelledby="verification-heading">
      <h2 id="verification-heading">Verification</h2>
      <Loaded query={query} loading={<Skeleton rows={1} />} showsAge={false}>
        {({ eligible, reasons }) =>
          eligible ? <p>It may take part in platform activities.</p> : <NotEligible domain={domain} reasons={reasons} />
        }
      </Loaded>
      {domain.verifiedAt !== null && domain.verifiedVersion !== null && (
        <p className="muted">
          {`Version ${domain.verifiedVersion} was verified`} <Age at={domain.verifiedAt} />
        </p>
      )}
      {domain.changedSinceVerification.length > 0 && (
        <div className="notice warn">
          <div className="stack tight">
            <p>
              {"Changed since it was verified:"}{" "}
              <strong>{domain.changedSinceVerification.map((member) => memberNames[member]).join(", ")}</strong>
            </p>
            <p className="small">The verification is kept, and everyone sees that these parts were not voted on.</p>
            <p>
              <Link href={domainHref(domain.id, "history")}>See what changed</Link>
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
        <span>A vote is open.</span>
        <Link href={proposalHref(domain.openProposalId)} className="button primary">
          {domainTexts.seeProposal}
        </Link>
      </p>
    );
  if (domain.status !== "active") return null;
  if (domain.verificationStatus === "Verified")
    return (
      <div className="next-row">
        <p className="muted">
          No action is needed. Changing the class, controllers or relayer node ends the verification.
        </p>
        {mayPropose && (
          <Link href={newProposalHref(domain.id, "revoke")} className="button">
            Propose to revoke
          </Link>
        )}
      </div>
    );
  const next = {
    AwaitingVerification: "Next step: propose its verification to the voters.",
    UnderVote: "A vote is open.",
    Rejected: "The voters rejected it. Resolve their objections, then propose it again.",
    Revoked: "The voters revoked its verification. It can be proposed again.",
  }[domain.verificationStatus];
  return (
    <div className="next-row">
      <p>{next}</p>
      {mayPropose && (
        <Link href={newProposalHref(domain.id)} className="button primary">
          Propose verification
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

/** The state next to the title already says that it is not verified, so only this sentence repeats it. */
function NotEligible({ domain, reasons }: NotEligibleProps) {
  const others = reasons.filter(({ code }) => code !== reasonOf[domain.verificationStatus]);
  if (others.length === 0) return <p>It may take part in platform activities once it is verified.</p>;
  return (
    <div>
      <p>It may not take part in platform activities:</p>
      <ul>
        {others.map(({ code, message }) => (
          <li key={code}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
