/** The form of a new proposal on one domain; errors are shown at their fields, the registry's as well as the schema's. */
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { ApiFailure } from "../api/api-failure.ts";
import { api } from "../api/api.ts";
import { proposalHref } from "../kit/addresses.ts";
import { useAnnounce } from "../kit/announcer.tsx";
import { Badge } from "../kit/badge.tsx";
import { Fact } from "../kit/fact.tsx";
import { Field } from "../kit/field.tsx";
import { Form, FormFoot } from "../kit/form.tsx";
import { ErrorPanel, ProblemList } from "../kit/loaded.tsx";
import { sameJson } from "../kit/same-json.ts";
import { useForm } from "../kit/use-form.ts";
import { useRights } from "../session/use-caller.ts";
import { memberNames } from "../texts/domain-members.ts";
import { typeName } from "../texts/domain-types.ts";
import { newProposalTexts, proposalTexts, votesTexts } from "../texts/votes.ts";
import { EvidenceFields } from "./evidence-fields.tsx";
import { NoVoters } from "./no-voters.tsx";
import {
  type ProposalDraft,
  type WrittenDraft,
  bodyOf,
  emptyDraft,
  limits,
  placesOf,
  problemsOf,
} from "./proposal-draft.ts";
import { type Domain, type Proposal, proposalKinds } from "./proposal.ts";

const kindMeans = {
  verify: "Voters confirm that the domain is what it says it is.",
  revoke: "Voters take the verification away from a verified domain.",
};

const prefilled = {
  verify: (name: string) => `Verify ${name}`,
  revoke: (name: string) => `Revoke the verification of ${name}`,
};

export interface ProposalFormProps {
  readonly domain: Domain;
  readonly kind: Proposal["kind"];
  readonly onKind: (kind: Proposal["kind"]) => void;
  /** Kept by the page instead of the form, so that selecting another domain does not lose it. */
  readonly written: WrittenDraft;
  readonly onWrite: (written: WrittenDraft) => void;
  /** Reloads the domain if it has changed since it was shown. */
  readonly onReload: () => Promise<Domain | undefined>;
}

export function ProposalForm({ domain, kind, onKind, written, onWrite, onReload }: ProposalFormProps) {
  const announce = useAnnounce();
  const rights = useRights();
  // The proposal is about the version that its proposer sees, even if the domain changes meanwhile.
  const [seen, setSeen] = useState(domain);
  const draft: ProposalDraft = { ...written, kind };
  const title = written.title ?? prefilled[kind](domain.name ?? domain.id).slice(0, limits.title);
  const change = (changed: Partial<ProposalDraft>): void => onWrite({ ...written, ...changed });
  const form = useForm({
    body: bodyOf(draft, title, seen),
    places: placesOf(draft),
    check: problemsOf,
    send: async (body, idempotencyKey) => {
      const params = { path: { id: domain.id }, header: { "Idempotency-Key": idempotencyKey } };
      const { data } = await api.POST("/v1/domains/{id}/proposals", { params, body });
      announce("The vote is open.");
      return data && proposalHref(data.id);
    },
  });
  const { errorAt, failure } = form;
  const reload = async (): Promise<void> => {
    const now = await onReload();
    if (now === undefined) return;
    form.clear();
    setSeen(now);
  };
  return (
    <div className="columns">
      <Form
        className="card"
        form={form}
        isDirty={!sameJson(written, emptyDraft)}
        loss={newProposalTexts.proposalLoss}
        foot={
          <FormFoot
            form={form}
            submitLabel="Open the vote"
            busyLabel="Opening the vote"
            cancelHref="/votes"
            refusal={failure && refusalOf(failure, () => void reload())}
          />
        }
      >
        <Hindrance domain={domain} kind={kind} />
        {rights?.mayPropose === false && (
          <p className="notice warn">
            Your API key does not have the scope verification:propose, so the registry will refuse this proposal.
          </p>
        )}
        <fieldset className="choices vote-options">
          <legend>{votesTexts.kind}</legend>
          {proposalKinds.map((each) => (
            <label key={each} className="vote-option">
              <input type="radio" name="kind" checked={kind === each} onChange={() => onKind(each)} />
              <span>
                <strong>{votesTexts.kinds[each]}</strong>
                <span className="hint">{kindMeans[each]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Title" error={errorAt("/title")}>
          {(ids) => <input {...ids} value={title} onChange={(event) => change({ title: event.target.value })} />}
        </Field>
        {kind === "revoke" && (
          <Field label={proposalTexts.reason} hint="Why the verification should end." error={errorAt("/reason")}>
            {(ids) => (
              <textarea
                {...ids}
                rows={3}
                value={draft.reason}
                onChange={(event) => change({ reason: event.target.value })}
              />
            )}
          </Field>
        )}
        <Field
          label="Summary"
          isOptional
          hint="The facts that voters need before they decide."
          error={errorAt("/summary")}
        >
          {(ids) => (
            <textarea
              {...ids}
              rows={4}
              value={draft.summary}
              onChange={(event) => change({ summary: event.target.value })}
            />
          )}
        </Field>
        <EvidenceFields evidence={draft.evidence} onChange={(evidence) => change({ evidence })} errorAt={errorAt} />
        <Field label={proposalTexts.notes} isOptional error={errorAt("/package/notes")}>
          {(ids) => (
            <textarea
              {...ids}
              rows={2}
              value={draft.notes}
              onChange={(event) => change({ notes: event.target.value })}
            />
          )}
        </Field>
        <details>
          <summary>
            <strong>Programme and credentials</strong>
          </summary>
          <div className="stack more-package">
            <Field
              label={proposalTexts.programme}
              isOptional
              hint="The programme that the domain takes part in: its name or its DID."
              error={errorAt("/package/programme")}
            >
              {(ids) => (
                <input
                  {...ids}
                  value={draft.programme}
                  onChange={(event) => change({ programme: event.target.value })}
                />
              )}
            </Field>
            <Field
              label={proposalTexts.credentialsOfPackage}
              isOptional
              hint="A JSON list of verifiable credentials that voters should see."
              error={errorAt("/package/credentials")}
            >
              {(ids) => (
                <textarea
                  {...ids}
                  className="code"
                  rows={4}
                  spellCheck={false}
                  value={draft.credentials}
                  onChange={(event) => change({ credentials: event.target.value })}
                />
              )}
            </Field>
          </div>
        </details>
      </Form>
      <DomainPreview domain={seen} differing={form.problems.map(({ field }) => field)} />
    </div>
  );
}

/** The next step after a failure that has a specific one. */
function refusalOf(failure: ApiFailure, onReload: () => void): ReactNode {
  if (failure.code === "no_eligible_voters") {
    return (
      <>
        <ErrorPanel error={failure} />
        <NoVoters />
      </>
    );
  }
  if (failure.code !== "package_mismatch") return undefined;
  return (
    <div className="notice warn" role="alert">
      <div className="stack tight">
        <p>The domain has changed since you opened this page. Differences:</p>
        <ProblemList problems={failure.problems} />
        <p>
          <button type="button" onClick={onReload}>
            Load the domain again
          </button>
        </p>
      </div>
    </div>
  );
}

/** Obstacles for which the registry would refuse the proposal, shown before the user writes. */
function Hindrance({ domain, kind }: { readonly domain: Domain; readonly kind: Proposal["kind"] }) {
  const { openProposalId, verificationStatus } = domain;
  if (openProposalId !== null) {
    return (
      <p className="notice">
        <span>
          A vote on this domain is already open. <Link href={proposalHref(openProposalId)}>Go to the vote</Link>
        </span>
      </p>
    );
  }
  if (kind === "verify" && verificationStatus === "Verified")
    return <p className="notice">This domain is already verified, so you can only propose a revocation.</p>;
  if (kind === "revoke" && verificationStatus !== "Verified" && domain.status !== "deactivated")
    return <p className="notice">This domain is not verified, so there is nothing to revoke.</p>;
  return null;
}

interface DomainPreviewProps {
  readonly domain: Domain;
  /** Pointers of the members that differ according to the registry. */
  readonly differing: readonly string[];
}

/** A summary of the domain of a new proposal, as voters will see it. */
function DomainPreview({ domain, differing }: DomainPreviewProps) {
  const rows = [
    ["type", typeName(domain.type)],
    ["class", domain.class],
    ["controllers", domain.controllers.join(", ")],
    ["relayerNode", domain.relayerNode],
    ["externalId", domain.externalId],
    ["validUntil", domain.validUntil],
  ] as const;
  return (
    <section className="card preview" aria-labelledby="preview">
      <h2 id="preview">The domain as voters will see it</h2>
      <p>
        <strong>{domain.name ?? votesTexts.unnamed}</strong>
      </p>
      <p className="small">
        <code>{domain.id}</code>
      </p>
      <dl className="facts">
        {rows.map(([member, value]) => (
          <Fact key={member} name={memberNames[member]}>
            {value ?? <span className="muted">{proposalTexts.nothing}</span>}{" "}
            {differing.some((field) => field.startsWith(`/package/${member}`)) && (
              <Badge tone="warn">{proposalTexts.differs}</Badge>
            )}
          </Fact>
        ))}
      </dl>
      <details>
        <summary>{memberNames.metadata}</summary>
        <pre tabIndex={0}>{JSON.stringify(domain.metadata, null, 2)}</pre>
      </details>
      <p className="muted small">
        The proposal includes the class, controllers and relayer node, so that it covers exactly what you see here.
      </p>
    </section>
  );
}
