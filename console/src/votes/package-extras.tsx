/** What the proposer put into the package beside the facts of the domain: evidence, notes, programme, an entity document. */
import { proposalTexts } from "../texts/votes-proposal.ts";
import type { Proposal } from "./proposal.ts";

type Content = NonNullable<Proposal["package"]>;

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
        <Raw title={proposalTexts.entityDocument} value={entityDocument} />
      )}
      {credentials.length > 0 && <Raw title={proposalTexts.credentialsOfPackage} value={credentials} />}
    </>
  );
}

/** Followed only when it is a page: a proposer may write any URI. */
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
