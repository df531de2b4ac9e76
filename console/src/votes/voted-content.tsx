/** The content of the version that is voted on, to read: name and description, the other metadata as rows, and all of it as JSON. */
import { Fact } from "../kit/fact.tsx";
import { JsonTree } from "../kit/json-tree.tsx";
import { digestedMembers } from "./package-changes.ts";
import type { Domain } from "./proposal.ts";

/** Levels: the members of the metadata and of the document. */
const OPEN = 2;
/** Rows of metadata; the JSON has the others. */
const ROWS = 20;

export function VotedContent({ record }: { readonly record: Domain }) {
  const { name, metadata } = record;
  const { description } = metadata;
  const rows = Object.entries(metadata).flatMap(([member, value]) => {
    const text = ["name", "description"].includes(member) ? undefined : textOf(value);
    return text === undefined ? [] : [[member, text] as const];
  });
  return (
    <div className="stack tight">
      <h3>Content</h3>
      {name !== null && (
        <p>
          <strong>{name}</strong>
        </p>
      )}
      {typeof description === "string" && <p className="prose">{description}</p>}
      {rows.length > 0 && (
        <dl className="facts package-facts">
          {rows.slice(0, ROWS).map(([member, text]) => (
            <Fact key={member} name={member}>
              {text}
            </Fact>
          ))}
        </dl>
      )}
      <details>
        <summary>The content as JSON</summary>
        <JsonTree value={filledMembers(record)} label="The content as JSON" openDepth={OPEN} />
      </details>
    </div>
  );
}

/** A value that is read in its row; undefined for nothing, and for what only the JSON can show. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(textOf);
    return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join(", ");
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Without what is empty, such as the lists of a document that nobody filled. */
function filledMembers(record: Domain): Readonly<Record<string, unknown>> {
  const document = Object.fromEntries(Object.entries(record.document).filter(([, list]) => list.length > 0));
  const content = Object.fromEntries(digestedMembers.map((member) => [member, record[member]] as const));
  return Object.fromEntries(
    Object.entries({ ...content, document }).filter(([, value]) => Object.keys(value).length > 0),
  );
}
