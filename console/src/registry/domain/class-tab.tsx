/** The class of a domain, the chain of classes above it, and which part comes from which of them. */
import type { components } from "../../api/paths.d.ts";
import { apiHooks } from "../../api/api.ts";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { Loaded } from "../../kit/loaded.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import { nameOf, type Domain } from "../domain-record.ts";
import { ClassLink } from "./class-link.tsx";
import { DocumentItem, type Item } from "./document-item.tsx";

type Composite = components["schemas"]["CompositeDomain"];

const partNames = Object.keys(domainTexts.parts) as (keyof typeof domainTexts.parts)[];

export function ClassTab({ domain }: { readonly domain: Domain }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}/composite", { params: { path: { id: domain.id } } });
  const names = useDomainNames((query.data?.inheritance ?? []).filter(({ found }) => found).map(({ did }) => did));
  return (
    <Loaded query={query} showsAge={false}>
      {(composite) => (
        <div className="stack">
          <Chain domain={domain} composite={composite} names={names} />
          <Parts composite={composite} names={names} />
        </div>
      )}
    </Loaded>
  );
}

interface PartsProps {
  readonly composite: Composite;
  readonly names: ReadonlyMap<string, string>;
}

function Chain({ domain, composite, names }: PartsProps & { readonly domain: Domain }) {
  return (
    <section className="card" aria-labelledby="chain-heading">
      <h2 id="chain-heading">{domainTexts.inheritance}</h2>
      <p className="muted">{domainTexts.inheritanceLead}</p>
      <ol className="chain">
        <li>
          <strong>{nameOf(domain)}</strong> <span className="muted">{domainTexts.self}</span>
        </li>
        {composite.inheritance.map(({ did, found, version }) => (
          <li key={did}>
            <ClassLink did={did} names={names} />{" "}
            <span className="muted">
              {found && version !== null ? domainTexts.version(version) : domainTexts.noClass}
            </span>
          </li>
        ))}
      </ol>
      {composite.truncated && <p className="muted">{domainTexts.truncated}</p>}
      {composite.cycle && <p className="muted">{domainTexts.cycle}</p>}
    </section>
  );
}

function Parts({ composite, names }: PartsProps) {
  const { document } = composite;
  const settings: readonly Item[] = Object.values(document.settings);
  const lists: readonly (readonly [string, readonly Item[]])[] = [
    ...partNames.map((name) => [domainTexts.parts[name], document[name]] as const),
    [domainTexts.settings, settings],
  ];
  const filled = lists.filter(([, items]) => items.length > 0);
  if (filled.length === 0) return <p className="muted">{domainTexts.nothingInherited}</p>;
  return filled.map(([title, items]) => (
    <section key={title} className="card">
      <h2>{title}</h2>
      <ul className="plain items">
        {items.map((item, at) => (
          <li key={at}>
            <DocumentItem item={item} names={names} />
          </li>
        ))}
      </ul>
    </section>
  ));
}
