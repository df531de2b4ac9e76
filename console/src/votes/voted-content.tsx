/** The content of the version that is voted on, to read: name and description first, then all of it as a tree. */
import { JsonTree } from "../kit/json-tree.tsx";
import { proposalTexts } from "../texts/votes-proposal.ts";
import { digestedMembers } from "./package-changes.ts";
import type { Domain } from "./proposal.ts";

/** Levels: the members of the metadata and of the document. */
const OPEN = 2;

export function VotedContent({ record }: { readonly record: Domain }) {
  const { name, metadata, version } = record;
  const { description } = metadata;
  const title = proposalTexts.contentOf(version);
  return (
    <div className="stack tight">
      <h3>{title}</h3>
      {name !== null && (
        <p>
          <strong>{name}</strong>
        </p>
      )}
      {typeof description === "string" && <p className="prose">{description}</p>}
      <JsonTree value={filledMembers(record)} label={title} openDepth={OPEN} />
    </div>
  );
}

/** Without what is empty, such as the lists of a document that nobody filled. */
function filledMembers(record: Domain): Readonly<Record<string, unknown>> {
  const document = Object.fromEntries(Object.entries(record.document).filter(([, list]) => list.length > 0));
  const content = Object.fromEntries(digestedMembers.map((member) => [member, record[member]] as const));
  return Object.fromEntries(
    Object.entries({ ...content, document }).filter(([, value]) => Object.keys(value).length > 0),
  );
}
