/** The class of a domain, the chain of classes above it, and which of them each part comes from. */
import { apiHooks } from "../../api/api.ts";
import type { components } from "../../api/paths.d.ts";
import { useDomainNames } from "../../api/use-domain-names.ts";
import { Loaded } from "../../kit/loaded.tsx";
import { type Domain, nameOf } from "../domain-record.ts";
import { ClassLink, DocumentItem, type Item } from "./document-item.tsx";

const parts = {
  linkedResource: "Linked resources",
  linkedClaim: "Linked claims",
  linkedEntity: "Linked entities",
  accordedRight: "Accorded rights",
  service: "Services of the document",
};

type Composite = components["schemas"]["CompositeDomain"];

const partNames = Object.keys(parts) as (keyof typeof parts)[];

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
      <h2 id="chain-heading">Classes</h2>
      <p className="muted">The parts that a domain inherits. The nearest class takes precedence.</p>
      <ol className="chain">
        <li>
          <strong>{nameOf(domain)}</strong> <span className="muted">this domain</span>
        </li>
        {composite.inheritance.map(({ did, found, version }) => (
          <li key={did}>
            <ClassLink did={did} names={names} />{" "}
            <span className="muted">
              {found && version !== null ? `version ${version}` : "not in this registry: the chain ends here"}
            </span>
          </li>
        ))}
      </ol>
      {composite.truncated && <p className="muted">The chain is too long to follow to its end.</p>}
      {composite.cycle && <p className="muted">The chain of classes is circular. It stops here.</p>}
    </section>
  );
}

function Parts({ composite, names }: PartsProps) {
  const { document } = composite;
  const settings: readonly Item[] = Object.values(document.settings);
  const lists: readonly (readonly [string, readonly Item[]])[] = [
    ...partNames.map((name) => [parts[name], document[name]] as const),
    ["Settings", settings],
  ];
  const filled = lists.filter(([, items]) => items.length > 0);
  if (filled.length === 0) return <p className="muted">Neither this domain nor its classes have any such parts.</p>;
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
