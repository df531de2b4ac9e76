/** The readable content of a proposal's package: the version of the domain under vote, and the proposer's additions. */
import { Fact } from "../kit/fact.tsx";
import { JsonTree } from "../kit/json-tree.tsx";
import { proposalTexts } from "../texts/votes.ts";
import { digestedMembers } from "./package-changes.ts";
import type { Domain, Proposal } from "./proposal.ts";

type Content = NonNullable<Proposal["package"]>;

/** The proposer's additions to the facts of the domain: evidence, notes, programme, an entity document. */
export function PackageExtras({ content }: { readonly content: Content }) {
  const { evidence = [], notes, programme, entityDocument, credentials = [] } = content;
  return (
    <>
      {evidence.length > 0 && (
        <div className="stack tight">
          <h3>{proposalTexts.evidence}</h3>
          <ul>
            {evidence.map((each, at) => (
              <li key={`${at} ${each.uri}`}>
                <strong>{each.type}</strong> <Address uri={each.uri} />
                {each.description !== null && <p className="muted">{each.description}</p>}
                {each.digest !== null && <p className="muted small">{each.digest}</p>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {typeof notes === "string" && notes !== "" && (
        <div className="stack tight">
          <h3>{proposalTexts.notes}</h3>
          <p className="prose">{notes}</p>
        </div>
      )}
      {typeof programme === "string" && (
        <div className="stack tight">
          <h3>{proposalTexts.programme}</h3>
          <p>{programme}</p>
        </div>
      )}
      {typeof programme === "object" && programme !== null && <Raw title={proposalTexts.programme} value={programme} />}
      {entityDocument !== null && entityDocument !== undefined && (
        <Raw title="Entity document" value={entityDocument} />
      )}
      {credentials.length > 0 && <Raw title={proposalTexts.credentialsOfPackage} value={credentials} />}
    </>
  );
}

/** A link only if it is a web page: a proposer can enter any URI. */
function Address({ uri }: { readonly uri: string }) {
  if (!/^https?:\/\//i.test(uri)) return <code>{uri}</code>;
  return (
    <a href={uri} rel="noreferrer noopener" target="_blank">
      {uri}
    </a>
  );
}

function Raw({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <details>
      <summary>{title}</summary>
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}

/** Levels: the members of the metadata and of the document. */
const OPEN = 2;
/** Rows of metadata; the JSON has the others. */
const ROWS = 20;

/** The readable content of the version under vote: name and description, the other metadata as rows, and all of it as JSON. */
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

/** A value that fits its row; undefined for an empty value, and for one that only the JSON can show. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(textOf);
    return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join(", ");
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Removes empty members, such as unfilled lists of a document. */
function filledMembers(record: Domain): Readonly<Record<string, unknown>> {
  const document = Object.fromEntries(Object.entries(record.document).filter(([, list]) => list.length > 0));
  const content = Object.fromEntries(digestedMembers.map((member) => [member, record[member]] as const));
  return Object.fromEntries(
    Object.entries({ ...content, document }).filter(([, value]) => Object.keys(value).length > 0),
  );
}
