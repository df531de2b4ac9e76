/** The domain's own part of its DID document, list by list. */
import { EmptyState } from "../../kit/empty-state.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import type { Domain } from "../domain-record.ts";
import { DocumentItem, type Item } from "./document-item.tsx";

const names = Object.keys(domainTexts.lists) as (keyof typeof domainTexts.lists)[];

export function DocumentTab({ domain }: { readonly domain: Domain }) {
  const filled = names.filter((name) => domain.document[name].length > 0);
  if (filled.length === 0)
    return (
      <EmptyState title={domainTexts.documentEmptyTitle}>
        <p>{domainTexts.documentEmptyLead}</p>
      </EmptyState>
    );
  return (
    <div className="stack">
      <p className="muted">{domainTexts.documentLead}</p>
      {filled.map((name) => (
        <section key={name} className="card">
          <h2>{domainTexts.lists[name]}</h2>
          <ul className="plain items">
            {(domain.document[name] as readonly (string | Item)[]).map((item, at) => (
              <li key={at}>
                {typeof item === "string" ? <code className="wraps">{item}</code> : <DocumentItem item={item} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className="muted small">{domainTexts.emptyLists(names.length - filled.length)}</p>
    </div>
  );
}
