/** The page of one domain: its states and actions, and its parts as tabs with their own addresses. */
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, useMemo } from "react";
import { useLocation } from "wouter";
import { apiHooks, authorizedFetch } from "../../api/api.ts";
import type { components } from "../../api/paths.d.ts";
import { domainHref } from "../../kit/addresses.ts";
import { JsonTree } from "../../kit/json-tree.tsx";
import { EmptyState, Loaded, Skeleton } from "../../kit/loaded.tsx";
import { DidText } from "../../kit/person.tsx";
import { BackLink, ScreenHeader, Tabs } from "../../kit/screen-header.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { usePaletteCommands } from "../../shell/palette.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { plural } from "../../texts/number.ts";
import { registryTexts } from "../../texts/registry.ts";
import { StatusBadge, VerificationBadge } from "../domain-badges.tsx";
import { type Domain, nameOf } from "../domain-record.ts";
import { ClassTab } from "./class-tab.tsx";
import { DocumentItem, type Item } from "./document-item.tsx";
import { DomainActions } from "./domain-actions.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { ServicesTab } from "./services-tab.tsx";

const tabsTexts = {
  overview: "Overview",
  class: "Class",
  document: "Document",
  history: "History",
  services: "Services",
  did: "DID resolution",
  json: "JSON",
};

const lists = {
  alsoKnownAs: "Also known as",
  context: "Contexts",
  verificationMethod: "Verification methods",
  authentication: "Authentication",
  assertionMethod: "Assertion methods",
  keyAgreement: "Key agreement",
  capabilityInvocation: "Capability invocation",
  capabilityDelegation: "Capability delegation",
  service: "Services",
  linkedResource: "Linked resources",
  linkedClaim: "Linked claims",
  linkedEntity: "Linked entities",
  accordedRight: "Accorded rights",
};

const jsonViews = { domain: "Record", composite: "Including inherited", card: "Card" };

interface Resolved {
  readonly isGone: boolean;
  readonly result: components["schemas"]["DidResolution"];
}

/** The result that a DID resolver gets for this domain. A deactivated domain answers 410 with its document. */
function DidTab({ domain }: { readonly domain: Domain }) {
  const query = useQuery({
    queryKey: ["get", "/1.0/identifiers/{did}", domain.id],
    queryFn: ({ signal }) => resolveDid(domain.id, signal),
  });
  return (
    <div className="stack">
      <p className="muted">The result that a DID resolver gets from this registry.</p>
      <Loaded query={query} showsAge={false}>
        {({ isGone, result }) => (
          <div className="stack">
            {isGone && (
              <p className="notice warn">
                This DID is deactivated (410). The registry still returns the document, but no service accepts its keys.
              </p>
            )}
            <section className="card">
              <h2>DID document</h2>
              <JsonTree value={result.didDocument} label="DID document" openDepth={2} />
            </section>
            <section className="card">
              <h2>About the document</h2>
              <DocumentItem item={result.didDocumentMetadata} />
            </section>
            <section className="card">
              <h2>Resolution</h2>
              <DocumentItem item={result.didResolutionMetadata} />
            </section>
          </div>
        )}
      </Loaded>
    </div>
  );
}

const GONE = 410;

/** For the typed client, 410 would be a failure without a body. */
async function resolveDid(did: string, signal: AbortSignal): Promise<Resolved> {
  const response = await authorizedFetch(`${location.origin}/1.0/identifiers/${did}`, { signal }, [GONE]);
  return { isGone: response.status === GONE, result: (await response.json()) as Resolved["result"] };
}

const views = Object.keys(jsonViews) as (keyof typeof jsonViews)[];

/** As JSON: the domain's record, the record with inherited parts, or its card. */
function JsonTab({ domain }: { readonly domain: Domain }) {
  const [{ view }, change] = useUrlState({ view: "domain" });
  return (
    <div className="stack">
      <fieldset className="row wrap choices-row">
        <legend className="hidden-visually">Contents</legend>
        {views.map((name) => (
          <label key={name} className="row">
            <input type="radio" name="view" checked={view === name} onChange={() => change({ view: name })} />
            {jsonViews[name]}
          </label>
        ))}
      </fieldset>
      {view === "composite" || view === "card" ? (
        <OtherView id={domain.id} view={view} />
      ) : (
        <JsonTree value={domain} label={jsonViews.domain} openDepth={2} />
      )}
    </div>
  );
}

function OtherView({ id, view }: { readonly id: string; readonly view: "composite" | "card" }) {
  const init = { params: { path: { id } } };
  const composite = apiHooks.useQuery("get", "/v1/domains/{id}/composite", init, { enabled: view === "composite" });
  const card = apiHooks.useQuery("get", "/v1/domains/{id}/card", init, { enabled: view === "card" });
  return view === "card" ? (
    <Loaded query={card} showsAge={false}>
      {(data) => <JsonTree value={data} label={jsonViews[view]} openDepth={2} />}
    </Loaded>
  ) : (
    <Loaded query={composite} showsAge={false}>
      {(data) => <JsonTree value={data} label={jsonViews[view]} openDepth={2} />}
    </Loaded>
  );
}

const names = Object.keys(lists) as (keyof typeof lists)[];

/** The domain's own part of its DID document, list by list. */
function DocumentTab({ domain }: { readonly domain: Domain }) {
  const filled = names.filter((name) => domain.document[name].length > 0);
  if (filled.length === 0)
    return (
      <EmptyState title="The document itself has no entries">
        <p>Keys, services and links can be added when you edit the domain.</p>
      </EmptyState>
    );
  return (
    <div className="stack">
      <p className="muted">
        The domain's own part of its DID document. The form has fields for its services and linked resources. Edit the
        rest there as JSON.
      </p>
      {filled.map((name) => (
        <section key={name} className="card">
          <h2>{lists[name]}</h2>
          <ul className="plain items">
            {(domain.document[name] as readonly (string | Item)[]).map((item, at) => (
              <li key={at}>
                {typeof item === "string" ? <code className="wraps">{item}</code> : <DocumentItem item={item} />}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p className="muted small">{`${plural(names.length - filled.length, "list is", "lists are")} empty`}</p>
    </div>
  );
}

export interface TabProps {
  readonly domain: Domain;
}

const tabs: Readonly<Record<keyof typeof tabsTexts, ComponentType<TabProps>>> = {
  overview: OverviewTab,
  class: ClassTab,
  document: DocumentTab,
  history: HistoryTab,
  services: ServicesTab,
  did: DidTab,
  json: JsonTab,
};
const tabNames = Object.keys(tabs) as (keyof typeof tabs)[];

export default function DomainPage({ id }: { readonly id: string }) {
  const query = apiHooks.useQuery("get", "/v1/domains/{id}", { params: { path: { id } } });
  const [{ tab }] = useUrlState({ tab: "overview" });
  const current = tabNames.find((name) => name === tab) ?? "overview";
  const Tab = tabs[current];
  const [, navigate] = useLocation();
  const commands = useMemo(
    () => [
      { id: "domain-edit", title: "This domain: edit", run: () => navigate(`${domainHref(id)}/edit`) },
      ...tabNames.map((name) => ({
        id: `domain-${name}`,
        title: `This domain: ${tabsTexts[name]}`,
        run: () => navigate(domainHref(id, name)),
      })),
    ],
    [id, navigate],
  );
  usePaletteCommands(commands);
  const trail = <BackLink href="/registry">{registryTexts.backToList}</BackLink>;
  const domain = query.data;
  return (
    <>
      <ScreenHeader
        trail={trail}
        title={domain === undefined ? "Domain" : nameOf(domain)}
        lead={
          <span className="row wrap">
            {domain !== undefined && (
              <>
                <span>{typeName(domain.type)}</span>
                <VerificationBadge domain={domain} />
                {domain.status !== "active" && <StatusBadge status={domain.status} />}
              </>
            )}
            <DidText id={id} canCopy />
          </span>
        }
        actions={domain !== undefined && <DomainActions domain={domain} />}
      />
      <Loaded query={query} loading={<Skeleton rows={8} />}>
        {(loaded) => (
          <div className="stack loose">
            <Tabs
              label="Parts of the domain"
              current={current}
              tabs={tabNames.map((name) => ({
                name,
                title: tabsTexts[name],
                href: domainHref(id, name === "overview" ? undefined : name),
              }))}
            />
            <Tab domain={loaded} />
          </div>
        )}
      </Loaded>
    </>
  );
}
