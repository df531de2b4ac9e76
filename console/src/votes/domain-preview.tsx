/** The domain of a new proposal in short, as voters will see it. */
import { Badge } from "../kit/badge.tsx";
import { Fact } from "../kit/fact.tsx";
import { memberNames } from "../texts/domain-members.ts";
import { typeName } from "../texts/domain-types.ts";
import { votesTexts } from "../texts/votes.ts";
import { newProposalTexts } from "../texts/votes-new.ts";
import { proposalTexts } from "../texts/votes-proposal.ts";
import type { Domain } from "./proposal.ts";

export interface DomainPreviewProps {
  readonly domain: Domain;
  /** Pointers of what the registry says is different. */
  readonly differing: readonly string[];
}

export function DomainPreview({ domain, differing }: DomainPreviewProps) {
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
      <h2 id="preview">{newProposalTexts.preview}</h2>
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
      <p className="muted small">{newProposalTexts.previewHint}</p>
    </section>
  );
}
