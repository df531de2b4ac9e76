/** The subject of the vote compared with the current domain: whether anything has changed since, and what. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { hasStatus } from "../api/api-failure.ts";
import { apiHooks } from "../api/api.ts";
import { ExactTime } from "../kit/age.tsx";
import { Badge } from "../kit/badge.tsx";
import { ChangeList } from "../kit/change-list.tsx";
import { CopyButton } from "../kit/copy-button.tsx";
import { Fact } from "../kit/fact.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorPanel, Skeleton } from "../kit/loaded.tsx";
import { Person, ShortId } from "../kit/person.tsx";
import { memberNames } from "../texts/domain-members.ts";
import { typeName } from "../texts/domain-types.ts";
import { grouped, plural } from "../texts/number.ts";
import { proposalTexts, votesTexts } from "../texts/votes.ts";
import {
  type PackageFacts,
  changedMembers,
  contentDifferences,
  digestedMembers,
  statedMembers,
} from "./package-changes.ts";
import { PackageExtras, VotedContent } from "./package-content.tsx";
import type { Domain, Proposal } from "./proposal.ts";

const sides = { before: "In the proposal", after: "Today" };

interface PackageCardProps {
  readonly proposal: Proposal;
  readonly comparison: Comparison;
}

export function PackageCard({ proposal, comparison }: PackageCardProps) {
  const facts = proposal.package?.domain;
  return (
    <section className="card" aria-labelledby="package">
      <h2 id="package">What is voted on</h2>
      {facts !== undefined && <Compared proposal={proposal} facts={facts} comparison={comparison} />}
      {proposal.package !== null && <PackageExtras content={proposal.package} />}
    </section>
  );
}

export type Comparison = ReturnType<typeof useComparison>;

/** The current domain and the version that the proposal is about. */
export function useComparison(proposal: Proposal) {
  const id = proposal.domainId;
  const facts = proposal.package?.domain;
  const isAsked = facts !== undefined;
  const today = apiHooks.useQuery("get", "/v1/domains/{id}", { params: { path: { id } } }, { enabled: isAsked });
  const then = apiHooks.useQuery(
    "get",
    "/v1/domains/{id}/history/{version}",
    { params: { path: { id, version: String(facts?.version) } } },
    { enabled: isAsked, staleTime: Infinity },
  );
  const now = today.data;
  const record = then.data?.record;
  const compared = useQuery({
    queryKey: ["content of the package", proposal.id, now?.versionId, record?.versionId],
    queryFn: async () => {
      if (facts === undefined || now === undefined || record === undefined)
        throw new Error("package card without a comparison");
      const differences = contentDifferences(record, now);
      const changed = await changedMembers(facts, now);
      const members = changed ?? [...new Set(differences.map(({ path }) => path.split("/")[1] ?? ""))];
      return { members, differences, hasDigests: changed !== undefined };
    },
    enabled: now !== undefined && record !== undefined,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const error = today.error ?? then.error;
  const isSettled = !isAsked || error !== null || compared.data !== undefined;
  return { today, now, record, compared, error, isSettled };
}

interface ComparedProps extends PackageCardProps {
  readonly facts: PackageFacts;
}

function Compared({ proposal, facts, comparison: { today, now, record, compared, error } }: ComparedProps) {
  return (
    <>
      <p>The domain as its proposer saw it, compared with the domain today.</p>
      {error !== null && now === undefined && <Missing error={error} onRetry={today.refetch} />}
      {error === null && compared.data === undefined && (
        <div role="status" aria-label="Comparing with the domain as it is today">
          <Skeleton />
        </div>
      )}
      {compared.data !== undefined && now !== undefined && (
        <>
          <Verdict
            members={compared.data.members}
            isOpenVerify={proposal.state === "open" && proposal.kind === "verify"}
          />
          {!compared.data.hasDigests && (
            <p className="small muted">
              This page has no secure connection, so it cannot compute digests; the record of that version is compared
              instead.
            </p>
          )}
          {compared.data.differences.length > 0 && (
            <div className="stack tight">
              <h3>What is different</h3>
              <ChangeList changes={compared.data.differences} sides={sides} />
            </div>
          )}
          {record !== undefined && <VotedContent record={record} />}
          <Facts facts={facts} now={now} changed={compared.data.members} />
        </>
      )}
    </>
  );
}

function Missing({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => unknown }) {
  if (hasStatus(error, 404)) return <p>The domain is no longer in the registry.</p>;
  return <ErrorPanel error={error} onRetry={onRetry} />;
}

function Verdict({ members, isOpenVerify }: { readonly members: readonly string[]; readonly isOpenVerify: boolean }) {
  const isSame = members.length === 0;
  return (
    <div className={`notice ${isSame ? "ok" : "warn"}`}>
      <Icon name={isSame ? "check" : "warning"} />
      <p>
        {isSame
          ? "Unchanged since the proposal: voters see the domain as it is today."
          : `Changed since the proposal: ${plural(members.length, "field", "fields")} of the domain.`}{" "}
        {!isSame && isOpenVerify && "Such a change ends a vote to verify."}
      </p>
    </div>
  );
}

interface FactsProps {
  readonly facts: PackageFacts;
  readonly now: Domain;
  readonly changed: readonly string[];
}

function Facts({ facts, now, changed }: FactsProps) {
  const marked = (member: keyof typeof memberNames, value: ReactNode) => (
    <Fact key={member} name={memberNames[member]}>
      <span className="row wrap spread">
        <span>{value}</span>
        {changed.includes(member) && <Badge tone="warn">{proposalTexts.differs}</Badge>}
      </span>
    </Fact>
  );
  const stated = statedMembers.filter((member) => facts[member] !== null || changed.includes(member));
  return (
    <>
      <dl className="facts package-facts">
        {stated.map((member) => marked(member, <Stated member={member} value={facts[member]} />))}
        <Fact name="Status today">
          {votesTexts.alone(now.status)}, {votesTexts.statuses[now.verificationStatus]}
        </Fact>
      </dl>
      <details>
        <summary>Details</summary>
        <div className="stack tight">
          <p className="muted small">
            {facts.version === now.version
              ? `The domain is at version ${grouped(now.version)}, as in the proposal.`
              : `The proposal is about version ${grouped(facts.version)}; the domain is at version ${grouped(now.version)} today. Votes, services and status changes create new versions too. The digests below compare only the content.`}
          </p>
          <dl className="facts package-facts">
            {digestedMembers.map((member) => marked(member, <Digest hex={facts[`${member}Hash`]} />))}
            <Fact name="Content hash">
              <Digest hex={facts.contentHash} />
            </Fact>
          </dl>
        </div>
      </details>
    </>
  );
}

interface StatedProps {
  readonly member: (typeof statedMembers)[number];
  readonly value: string | null | readonly string[];
}

function Stated({ member, value }: StatedProps) {
  if (value === null) return proposalTexts.nothing;
  if (typeof value !== "string")
    return (
      <ul className="plain">
        {value.map((did) => (
          <li key={did}>
            <Person did={did} canCopy />
          </li>
        ))}
      </ul>
    );
  if (member === "type") return typeName(value);
  if (member === "validFrom" || member === "validUntil") return <ExactTime at={value} />;
  return value;
}

function Digest({ hex }: { readonly hex: string }) {
  return (
    <span className="did">
      <ShortId id={hex} title={`SHA-256 ${hex}`} />
      <CopyButton text={hex} />
    </span>
  );
}
