/** The evidence of a proposal: as many documents as the registry takes, each with its type and its address. */
import { Field } from "../kit/field.tsx";
import { Rows } from "../kit/rows.tsx";
import { newProposalTexts } from "../texts/votes-new.ts";
import { proposalTexts } from "../texts/votes-proposal.ts";
import { emptyEvidence, limits, type EvidenceDraft } from "./proposal-draft.ts";

export interface EvidenceFieldsProps {
  readonly evidence: readonly EvidenceDraft[];
  readonly onChange: (evidence: readonly EvidenceDraft[]) => void;
  /** By JSON pointer into the body. */
  readonly errorAt: (place: string) => string | undefined;
}

interface EvidenceField {
  readonly name: keyof EvidenceDraft;
  readonly isOptional?: boolean;
}

const fields: readonly EvidenceField[] = [
  { name: "type" },
  { name: "uri" },
  { name: "description", isOptional: true },
  { name: "digest", isOptional: true },
];

export function EvidenceFields({ evidence, onChange, errorAt }: EvidenceFieldsProps) {
  const { labels, hints } = newProposalTexts.evidenceFields;
  return (
    <fieldset className="stack">
      <legend>
        <strong>{proposalTexts.evidence}</strong>
        <span className="hint"> {newProposalTexts.evidenceHint}</span>
      </legend>
      <Rows
        items={evidence}
        most={limits.evidence}
        nameOf={newProposalTexts.evidenceAt}
        addLabel={newProposalTexts.addEvidence}
        removeLabel={newProposalTexts.removeEvidence}
        error={errorAt("/package/evidence")}
        create={() => emptyEvidence}
        onChange={onChange}
      >
        {(item, change, at) => (
          <div className="grid">
            {fields.map(({ name, isOptional = false }) => (
              <Field
                key={name}
                label={labels[name]}
                hint={hints[name]}
                isOptional={isOptional}
                error={errorAt(`/package/evidence/${at}/${name}`)}
              >
                {(ids) => (
                  <input
                    {...ids}
                    inputMode={name === "uri" ? "url" : "text"}
                    spellCheck={name === "description"}
                    value={item[name]}
                    onChange={(event) => change({ ...item, [name]: event.target.value })}
                  />
                )}
              </Field>
            ))}
          </div>
        )}
      </Rows>
    </fieldset>
  );
}
