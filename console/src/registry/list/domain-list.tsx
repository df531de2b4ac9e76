/** The list of domains. Its address has all that it shows. One request loads one page, and the current page stays until then. */
import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { FilterForm } from "../../kit/filter-form.tsx";
import { Icon } from "../../kit/icon.tsx";
import { lazyPart } from "../../kit/lazy-part.tsx";
import { Loaded } from "../../kit/loaded.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { Skeleton } from "../../kit/skeleton.tsx";
import { useUrlState, type ChangeOptions } from "../../kit/use-url-state.ts";
import { usePaletteCommands } from "../../shell/palette-commands.tsx";
import { NeedsKey } from "../../session/needs-key.tsx";
import { kitTexts } from "../../texts/kit.ts";
import { registryTexts } from "../../texts/registry.ts";
import { DomainTable } from "./domain-table.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { firstPage, isFiltered, listDefaults, queryOf, withoutFilters, type ListState } from "./list-address.ts";
import { EmptyList } from "./empty-list.tsx";
import { choicesOf, orderFor, search, typedFilters } from "./list-filters.ts";
import { ListPages } from "./list-pages.tsx";

const ExportDialog = lazyPart(() => import("../export/export-dialog.tsx"), { Waiting: () => null });

/** `open` in the address opens the export, so that it can be reached from anywhere. */
const exportDefaults = { export: "" } as const;

export function DomainList() {
  const [state, change] = useUrlState(listDefaults);
  const [{ export: asked }, changeExport] = useUrlState(exportDefaults);
  usePaletteCommands(
    useMemo(
      () => [{ id: "exportList", title: registryTexts.exportCommand, run: () => changeExport({ export: "open" }) }],
      [changeExport],
    ),
  );
  const query = apiHooks.useQuery(
    "get",
    "/v1/domains",
    { params: { query: queryOf(state) } },
    { placeholderData: keepPreviousData },
  );
  // The list comes first.
  const isReady = query.data !== undefined;
  const { data: types } = apiHooks.useQuery("get", "/v1/domain-types", {}, { enabled: isReady, staleTime: Infinity });
  const filter = (changed: Partial<ListState>, options?: ChangeOptions): void =>
    change({ ...firstPage, ...orderFor(state, changed), ...changed }, options);
  return (
    <>
      <ScreenHeader
        title={registryTexts.title}
        lead={registryTexts.lead}
        actions={
          <>
            <button type="button" onClick={() => changeExport({ export: "open" })}>
              {registryTexts.export}
            </button>
            <Link href="/registry/import" className="button">
              {registryTexts.import}
            </Link>
            <Link href="/registry/new" className="button primary">
              <Icon name="plus" />
              {registryTexts.createShort}
            </Link>
          </>
        }
      />
      <NeedsKey needs="apiKey">
        {asked === "open" && (
          <ExportDialog
            query={queryOf(state)}
            isFiltered={isFiltered(state)}
            total={query.data?.page.total}
            onClose={() => changeExport({ export: "" }, { replace: true })}
          />
        )}
        <div className="stack">
          <FilterForm
            filters={state}
            search={search}
            choices={choicesOf(state, types?.data.map(({ type }) => type) ?? [])}
            typed={typedFilters}
            more={registryTexts.otherFilters}
            inForce={<FilterChips state={state} onChange={change} />}
            onChange={filter}
          />
          <Loaded query={query} loading={<Skeleton rows={8} />}>
            {({ data, page }) =>
              data.length === 0 ? (
                <EmptyList
                  isFiltered={isFiltered(state)}
                  isFirst={state.cursor === ""}
                  onReset={() => change(withoutFilters)}
                  onFirst={() => change(firstPage)}
                />
              ) : (
                <div className="stack" aria-busy={query.isPlaceholderData}>
                  <DomainTable domains={data} sort={state.sort} onSort={(sort) => filter({ sort })} />
                  <ListPages state={state} page={page} isLoading={query.isPlaceholderData} onChange={change} />
                </div>
              )
            }
          </Loaded>
          {query.isError && state.cursor !== "" && (
            <p>
              <button type="button" onClick={() => change(firstPage)}>
                {kitTexts.firstPage}
              </button>
            </p>
          )}
        </div>
      </NeedsKey>
    </>
  );
}
