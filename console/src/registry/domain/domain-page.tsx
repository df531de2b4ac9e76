/** The page of one domain: its states and actions, and its parts as tabs that each have an address. */
import { useMemo, type ComponentType } from "react";
import { useLocation } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { BackLink } from "../../kit/back-link.tsx";
import { domainHref } from "../../kit/addresses.ts";
import { DidText } from "../../kit/did-text.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { useUrlState } from "../../kit/use-url-state.ts";
import { usePaletteCommands } from "../../shell/palette-commands.tsx";
import { domainTexts } from "../../texts/registry-domain.ts";
import { typeName } from "../../texts/domain-types.ts";
import { registryTexts } from "../../texts/registry.ts";
import { StatusBadge, VerificationBadge } from "../domain-badges.tsx";
import { nameOf, type Domain } from "../domain-record.ts";
import { ClassTab } from "./class-tab.tsx";
import { DidTab } from "./did-tab.tsx";
import { DocumentTab } from "./document-tab.tsx";
import { DomainActions } from "./domain-actions.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { JsonTab } from "./json-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { ServicesTab } from "./services-tab.tsx";
import { Tabs } from "../../kit/tabs.tsx";

export interface TabProps {
  readonly domain: Domain;
}

const tabs: Readonly<Record<keyof typeof domainTexts.tabs, ComponentType<TabProps>>> = {
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
      { id: "domain-edit", title: domainTexts.editCommand, run: () => navigate(`${domainHref(id)}/edit`) },
      ...tabNames.map((name) => ({
        id: `domain-${name}`,
        title: domainTexts.tabCommand(domainTexts.tabs[name]),
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
        title={domain === undefined ? domainTexts.title : nameOf(domain)}
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
              label={domainTexts.tabsName}
              current={current}
              tabs={tabNames.map((name) => ({
                name,
                title: domainTexts.tabs[name],
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
