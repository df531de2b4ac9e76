/** The list of domains. Its address contains its whole state. One request loads one page, and the current page stays until then. */
import { keepPreviousData } from "@tanstack/react-query";
import { useId, useMemo } from "react";
import { Link } from "wouter";
import { apiHooks } from "../../api/api.ts";
import { domainHref } from "../../kit/addresses.ts";
import { Age } from "../../kit/age.tsx";
import { FilterForm } from "../../kit/filter-form.tsx";
import { Icon } from "../../kit/icon.tsx";
import { lazyPart } from "../../kit/lazy-part.tsx";
import { EmptyState, Loaded, Skeleton } from "../../kit/loaded.tsx";
import { ShortId, shortened } from "../../kit/person.tsx";
import { ScreenHeader } from "../../kit/screen-header.tsx";
import { type ChangeOptions, useUrlState } from "../../kit/use-url-state.ts";
import { NeedsKey } from "../../session/needs-key.tsx";
import { usePaletteCommands } from "../../shell/palette.tsx";
import { typeName } from "../../texts/domain-types.ts";
import { plural } from "../../texts/number.ts";
import { StatusBadge, VerificationBadge } from "../domain-badges.tsx";
import { type Domain, nameOf } from "../domain-record.ts";
import {
  type ListState,
  chipsOf,
  choicesOf,
  firstPage,
  isFiltered,
  listDefaults,
  nextPage,
  orderFor,
  pageNumber,
  pageSizes,
  previousPage,
  queryOf,
  search,
  typedFilters,
  withoutFilters,
} from "./list-filters.ts";

const ExportDialog = lazyPart(() => import("../export/export-dialog.tsx"), { Waiting: () => null });

/** `open` in the address opens the export, so that any screen can link to it. */
const exportDefaults = { export: "" } as const;

export function DomainList() {
  const [state, change] = useUrlState(listDefaults);
  const [{ export: asked }, changeExport] = useUrlState(exportDefaults);
  usePaletteCommands(
    useMemo(
      () => [
        {
          id: "exportList",
          title: "Export the domains of this list",
          run: () => changeExport({ export: "open" }),
        },
      ],
      [changeExport],
    ),
  );
  const query = apiHooks.useQuery(
    "get",
    "/v1/domains",
    { params: { query: queryOf(state) } },
    { placeholderData: keepPreviousData },
  );
  // The list loads first.
  const isReady = query.data !== undefined;
  const { data: types } = apiHooks.useQuery("get", "/v1/domain-types", {}, { enabled: isReady, staleTime: Infinity });
  const filter = (changed: Partial<ListState>, options?: ChangeOptions): void =>
    change({ ...firstPage, ...orderFor(state, changed), ...changed }, options);
  return (
    <>
      <ScreenHeader
        title="Registry"
        lead="The digital twins of real entities on this platform, and whether they may take part in its activities."
        actions={
          <>
            <button type="button" onClick={() => changeExport({ export: "open" })}>
              Export
            </button>
            <Link href="/registry/import" className="button">
              Import
            </Link>
            <Link href="/registry/new" className="button primary">
              <Icon name="plus" />
              Create
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
            more="More filters"
            inForce={<FilterChips state={state} onChange={change} />}
            onChange={filter}
          />
          <Loaded query={query} loading={<Skeleton rows={8} />}>
            {({ data, page }) =>
              data.length === 0 ? (
                <EmptyList state={state} onChange={change} />
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
              <FirstPageButton onChange={change} />
            </p>
          )}
        </div>
      </NeedsKey>
    </>
  );
}

interface PartProps {
  readonly state: ListState;
  readonly onChange: (changed: Partial<ListState>) => void;
}

/** The active filters, each with a button that removes it. */
function FilterChips({ state, onChange }: PartProps) {
  const chips = chipsOf(state);
  if (chips.length === 0) return null;
  return (
    <ul className="row wrap chips" aria-label="Filters">
      {chips.map(({ name, label, value, words, without }) => (
        <li key={`${name} ${value}`}>
          <button
            type="button"
            className="chip"
            title={value}
            aria-label={`Remove the filter ${label} ${shortened(words)}`}
            onClick={() => onChange(without)}
          >
            <span className="muted">{label}</span> {shortened(words)}
            <Icon name="close" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="ghost small" onClick={() => onChange(withoutFilters)}>
          Remove all filters
        </button>
      </li>
    </ul>
  );
}

const columns = { name: "Name", type: "Type", verification: "Verification", status: "Status", updated: "Changed" };

/** The order that the first press on a column's head selects, and its opposite. */
const sortable = {
  name: ["name", "-name"],
  type: ["type", "-type"],
  updated: ["-updatedAt", "updatedAt"],
} as const;

interface DomainTableProps {
  readonly domains: readonly Domain[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** A table if there is room, and one card per domain on a narrow screen (registry.css). */
function DomainTable({ domains, sort, onSort }: DomainTableProps) {
  return (
    <div className="table-frame domain-table">
      {/* The roles stay when the style sheet turns rows into cards. */}
      <table role="table" aria-label="Domains">
        <thead role="rowgroup">
          <tr role="row">
            {(Object.keys(columns) as (keyof typeof columns)[]).map((column) => (
              <th key={column} role="columnheader" scope="col" aria-sort={directionOf(column, sort)}>
                {column in sortable ? (
                  <button
                    type="button"
                    className="sort"
                    onClick={() => onSort(nextSort(column as keyof typeof sortable, sort))}
                  >
                    {columns[column]}
                  </button>
                ) : (
                  columns[column]
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {domains.map((domain) => (
            <tr key={domain.id} role="row">
              <td role="cell" className="domain-name">
                <div>
                  <Link href={domainHref(domain.id)}>{nameOf(domain)}</Link>
                  <span className="muted small">
                    <ShortId id={domain.id} />
                  </span>
                </div>
              </td>
              <td role="cell">{typeName(domain.type)}</td>
              <td role="cell">
                <VerificationBadge domain={domain} />
              </td>
              <td role="cell" className={domain.status === "active" ? "usual" : undefined}>
                <StatusBadge status={domain.status} />
              </td>
              <td role="cell" className="muted">
                <Age at={domain.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nextSort(column: keyof typeof sortable, sort: string): string {
  const [first, opposite] = sortable[column];
  return sort === first ? opposite : first;
}

function directionOf(column: string, sort: string): "ascending" | "descending" | undefined {
  const orders: readonly string[] = column in sortable ? sortable[column as keyof typeof sortable] : [];
  if (!orders.includes(sort)) return undefined;
  return sort.startsWith("-") ? "descending" : "ascending";
}

interface ListPagesProps extends PartProps {
  readonly page: { readonly limit: number; readonly nextCursor: string | null; readonly total?: number };
  readonly isLoading: boolean;
}

/** The address has the cursors of earlier pages, so that "previous" also works after opening a link. */
function ListPages({ state, page, isLoading, onChange }: ListPagesProps) {
  const number = pageNumber(state);
  const { limit, nextCursor, total } = page;
  const before = previousPage(state);
  const size = useId();
  const turn = (to: Partial<ListState>): void => {
    onChange(to);
    document.querySelector("main")?.scrollIntoView();
  };
  return (
    <div className="row wrap spread list-pages">
      <p className="muted" role="status">
        {isLoading ? "Loading the next rows…" : total !== undefined && plural(total, "domain", "domains")}
      </p>
      <div className="row page-size">
        <label htmlFor={size} className="muted">
          Rows
        </label>
        <select id={size} value={limit} onChange={(event) => turn({ ...firstPage, limit: event.target.value })}>
          {pageSizes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      <nav className="row wrap" aria-label="Pages">
        {number > 2 && <FirstPageButton isQuiet onChange={turn} />}
        <button
          type="button"
          aria-label="Previous page"
          aria-disabled={before === undefined}
          onClick={() => before !== undefined && turn(before)}
        >
          <Icon name="back" />
        </button>
        <span className="nowrap">
          Page {number}
          {total !== undefined && ` of ${Math.max(number, Math.ceil(total / limit))}`}
        </span>
        <button
          type="button"
          aria-label="Next page"
          aria-disabled={nextCursor === null || isLoading}
          onClick={() => nextCursor !== null && !isLoading && turn(nextPage(state, nextCursor))}
        >
          <Icon name="chevron" />
        </button>
      </nav>
    </div>
  );
}

function FirstPageButton({ isQuiet = false, onChange }: Pick<PartProps, "onChange"> & { readonly isQuiet?: boolean }) {
  return (
    <button type="button" className={isQuiet ? "ghost" : ""} onClick={() => onChange(firstPage)}>
      First page
    </button>
  );
}

/** Shows the reason: no domain exists yet, none matches, or the page is past the end. */
function EmptyList({ state, onChange }: PartProps) {
  if (state.cursor !== "")
    return (
      <EmptyState title="This page is empty">
        <p>The list has changed since this address was made.</p>
        <FirstPageButton onChange={onChange} />
      </EmptyState>
    );
  if (isFiltered(state))
    return (
      <EmptyState title="No domain matches">
        <p>Check the search and the filters, or remove them.</p>
        <button type="button" className="primary" onClick={() => onChange(withoutFilters)}>
          Remove all filters
        </button>
      </EmptyState>
    );
  return (
    <EmptyState title="No domain has been created yet">
      <p>Create the first one: a type and a name are enough. You can change everything else later.</p>
      <p className="row wrap">
        <Link href="/registry/new" className="button primary">
          Create a domain
        </Link>
        <Link href="/registry/import" className="button">
          Import domains from a file
        </Link>
      </p>
    </EmptyState>
  );
}
