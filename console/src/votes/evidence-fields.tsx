/** The evidence of a proposal: up to the registry's maximum of documents, each with its type and its address. */
import { Field } from "../kit/field.tsx";
import { Rows } from "../kit/rows.tsx";
import { proposalTexts } from "../texts/votes.ts";
import { type EvidenceDraft, emptyEvidence, limits } from "./proposal-draft.ts";

const removeEvidence = (name: string) => `Remove ${name}`;

const evidenceFields = {
  labels: { type: "Type", uri: "Address", description: "Description", digest: "Digest" },
  hints: {
    type: "For example report, certificate or inspection.",
    uri: "Where voters can read it.",
    description: "A short description of its content.",
    digest: "Its SHA-256, so that voters can check it.",
  } as Readonly<Record<string, string>>,
};

const evidenceAt = (at: number) => `Evidence ${at}`;

export interface EvidenceFieldsProps {
  readonly evidence: readonly EvidenceDraft[];
  readonly onChange: (evidence: readonly EvidenceDraft[]) => void;
  /** Keyed by JSON pointer into the body. */
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
  const { labels, hints } = evidenceFields;
  return (
    <fieldset className="stack">
      <legend>
        <strong>{proposalTexts.evidence}</strong>
        <span className="hint"> Documents that support the domain's statements.</span>
      </legend>
      <Rows
        items={evidence}
        most={limits.evidence}
        nameOf={evidenceAt}
        addLabel="Add evidence"
        removeLabel={removeEvidence}
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
