/** Search, the three filters that are used most, the order, and the others behind a disclosure. */
import { useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from "react";
import { apiHooks } from "../../api/api.ts";
import { typeName } from "../../texts/domain-types.ts";
import { registryTexts } from "../../texts/registry.ts";
import { MoreFilters } from "./more-filters.tsx";
import { sorts, statuses, verificationStatuses, type ListState } from "./list-address.ts";

export interface FilterBarProps {
  readonly state: ListState;
  /** Whether the list has loaded. The bar makes its own request only after that, so that the list comes first. */
  readonly isReady: boolean;
  readonly onChange: (changed: Partial<ListState>, replace?: boolean) => void;
}

export function FilterBar({ state, isReady, onChange }: FilterBarProps) {
  const { data: types } = apiHooks.useQuery("get", "/v1/domain-types", {}, { enabled: isReady, staleTime: Infinity });
  const order = useId();
  const typeNames = types?.data.map(({ type }) => type) ?? [];
  return (
    <search className="stack tight">
      <div className="filter-bar">
        <SearchField
          value={state.q}
          onChange={(q) => onChange({ q, ...(q === "" ? orderWithoutSearch(state) : {}) }, true)}
        />
        <Choice label={registryTexts.filters.type} values={state.type} onChoose={(type) => onChange({ type })}>
          {withCurrent(typeNames, state.type).map((type) => (
            <option key={type} value={type}>
              {typeName(type)}
            </option>
          ))}
        </Choice>
        <Choice
          label={registryTexts.filters.verificationStatus}
          values={state.verificationStatus}
          onChoose={(verificationStatus) => onChange({ verificationStatus })}
        >
          {verificationStatuses.map((status) => (
            <option key={status} value={status}>
              {registryTexts.verification[status]}
            </option>
          ))}
        </Choice>
        <Choice label={registryTexts.filters.status} values={state.status} onChoose={(status) => onChange({ status })}>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {registryTexts.status[status]}
            </option>
          ))}
        </Choice>
        <div className="choice">
          <label htmlFor={order}>{registryTexts.sort}</label>
          <select id={order} value={state.sort} onChange={(event) => onChange({ sort: event.target.value })}>
            <option value="">{registryTexts.sorts[state.q === "" ? "" : "relevance"]}</option>
            {sorts
              .filter((sort) => state.q !== "" || sort !== "-createdAt")
              .map((sort) => (
                <option key={sort} value={sort}>
                  {registryTexts.sorts[sort]}
                </option>
              ))}
          </select>
        </div>
      </div>
      <MoreFilters state={state} onChange={onChange} />
    </search>
  );
}

/** `relevance` is refused without a search. */
function orderWithoutSearch({ sort }: ListState): Partial<ListState> {
  return sort.endsWith("relevance") ? { sort: "" } : {};
}

function withCurrent(known: readonly string[], chosen: readonly string[]): readonly string[] {
  return [...known, ...chosen.filter((value) => !known.includes(value))];
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly onChoose: (values: readonly string[]) => void;
  readonly children: ReactNode;
}

/** One value of a filter, or none. An address may hold several, which the chips show. */
function Choice({ label, values, onChoose, children }: ChoiceProps) {
  const several = values.length > 1;
  const id = useId();
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={several ? "several" : (values[0] ?? "")}
        onChange={(event) => onChoose(event.target.value === "" ? [] : [event.target.value])}
      >
        <option value="">{registryTexts.any}</option>
        {several && (
          <option value="several" disabled>
            {registryTexts.several}
          </option>
        )}
        {children}
      </select>
    </div>
  );
}

/** Milliseconds without a key press before a search is sent. */
const PAUSE = 250;

/** Searches while somebody types; the address changes in place, so that the back button skips the letters. */
function SearchField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // The address has changed by another way: a chip, or the back button.
    if (value === sent.current) return;
    sent.current = value;
    setTyped(value);
  }, [value]);
  const send = useEffectEvent(() => {
    sent.current = typed;
    onChange(typed);
  });
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => send(), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  const id = useId();
  return (
    <div className="choice search-field">
      <label htmlFor={id}>{registryTexts.search}</label>
      <input
        id={id}
        type="search"
        value={typed}
        maxLength={200}
        placeholder={registryTexts.searchHint}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}
