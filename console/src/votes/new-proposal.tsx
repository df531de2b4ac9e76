/** Opens a proposal: the domain, the kind of vote and facts for voters, next to the domain as they will see it. */
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import { apiHooks } from "../api/api.ts";
import { Badge } from "../kit/badge.tsx";
import { Field } from "../kit/field.tsx";
import { LeaveGuard } from "../kit/leave-guard.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { sameJson } from "../kit/same-json.ts";
import { BackLink, ScreenHeader } from "../kit/screen-header.tsx";
import { KEPT, useSettled } from "../kit/use-settled.ts";
import { useUrlState } from "../kit/use-url-state.ts";
import { NeedsKey } from "../session/needs-key.tsx";
import { newProposalTexts, proposalTexts, votesTexts } from "../texts/votes.ts";
import { NoVoters } from "./no-voters.tsx";
import { emptyDraft } from "./proposal-draft.ts";
import { ProposalForm } from "./proposal-form.tsx";

/** Maximum domains offered during typing. */
const OFFERED = 10;
/** Maximum characters of a search. */
const LONGEST = 200;

export function NewProposal() {
  const [{ domain, kind }, change] = useUrlState({ domain: "", kind: "verify" });
  const [written, setWritten] = useState(emptyDraft);
  const rules = apiHooks.useQuery("get", "/v1/verification-rules", {});
  const isDid = domain.startsWith("did:");
  const read = apiHooks.useQuery(
    "get",
    "/v1/domains/{id}",
    { params: { path: { id: domain } } },
    { enabled: isDid, retry: false },
  );
  return (
    <>
      <ScreenHeader
        title="New proposal"
        lead="It opens a vote for everyone who is on the voter roll now."
        trail={<BackLink href="/votes">{proposalTexts.back}</BackLink>}
      />
      <NeedsKey needs="apiKey">
        <div className="stack loose">
          <Loaded query={rules} showsAge={false}>
            {({ voterCount }) => (voterCount === 0 ? <NoVoters /> : null)}
          </Loaded>
          {/* While switching between domains, there is no form that could ask. */}
          <LeaveGuard
            isDirty={!(isDid && read.data !== undefined) && !sameJson(written, emptyDraft)}
            loss={newProposalTexts.proposalLoss}
          />
          <DomainField key={domain} domain={domain} onChange={(id) => change({ domain: id })} />
          {isDid && (
            <Loaded query={read} showsAge={false}>
              {(record) => (
                <ProposalForm
                  key={record.id}
                  domain={record}
                  kind={kind === "revoke" ? "revoke" : "verify"}
                  onKind={(next) => change({ kind: next })}
                  written={written}
                  onWrite={setWritten}
                  onReload={async () => (await read.refetch()).data}
                />
              )}
            </Loaded>
          )}
        </div>
      </NeedsKey>
    </>
  );
}

interface DomainFieldProps {
  readonly domain: string;
  readonly onChange: (id: string) => void;
}

function DomainField({ domain, onChange }: DomainFieldProps) {
  const [text, setText] = useState(domain);
  const words = text.trim();
  const q = useSettled(words.startsWith("did:") ? "" : words.slice(0, LONGEST));
  const found = apiHooks.useQuery(
    "get",
    "/v1/domains",
    {
      params: {
        query: { limit: OFFERED, ...(q === "" ? {} : { q }) },
      },
    },
    { enabled: domain === "", placeholderData: keepPreviousData, gcTime: KEPT },
  );
  const offered = domain === "" ? (found.data?.data ?? []) : [];
  return (
    <form
      className="card vote-domain"
      onSubmit={(event) => {
        event.preventDefault();
        if (words.startsWith("did:")) onChange(words);
      }}
    >
      <Field label={votesTexts.domain} hint="Type part of its name to search, or paste its DID.">
        {(ids) => (
          <input
            {...ids}
            value={text}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setText(event.target.value)}
            onBlur={() => words !== domain && (words === "" || words.startsWith("did:")) && onChange(words)}
          />
        )}
      </Field>
      {offered.length > 0 && (
        <ul className="vote-offers">
          {offered.map(({ id, name, verificationStatus }) => (
            <li key={id}>
              <button type="button" className="ghost" onClick={() => onChange(id)}>
                <span className="grow">
                  <strong>{name ?? votesTexts.unnamed}</strong>
                  <code className="muted small">{id}</code>
                </span>
                <Badge>{votesTexts.alone(votesTexts.statuses[verificationStatus])}</Badge>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
