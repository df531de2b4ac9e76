/**
 * State in the query string, so that a link, a reload and the back button keep it. Members that equal their default are omitted.
 */
import { useCallback, useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { navigate, useSearch } from "wouter/use-browser-location";

type Value = string | readonly string[];
type State<Defaults> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends string ? string : readonly string[];
};

export interface ChangeOptions {
  /** Replaces the history entry: for values that change with each key press. */
  readonly replace?: boolean;
}

export function useUrlState<const Defaults extends Readonly<Record<string, Value>>>(
  defaults: Defaults,
): readonly [State<Defaults>, (changed: Partial<State<Defaults>>, options?: ChangeOptions) => void] {
  // Undecoded: the router's own hook decodes it twice, and did:web:host%3A3000 would become another DID.
  const search = useSearch();
  const key = JSON.stringify(defaults);
  const state = useMemo(() => {
    const known = JSON.parse(key) as Defaults;
    const parameters = new URLSearchParams(search);
    return Object.fromEntries(
      Object.entries(known).map(([name, value]) => {
        if (typeof value === "string") return [name, parameters.get(name) ?? value];
        return [name, parameters.has(name) ? parameters.getAll(name) : value];
      }),
    ) as State<Defaults>;
  }, [search, key]);

  const change = useCallback(
    (changed: Partial<State<Defaults>>, { replace = false }: ChangeOptions = {}) => {
      const known = JSON.parse(key) as Defaults;
      const after = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changed) as [string, Value | undefined][]) {
        after.delete(name);
        if (value === undefined || String(value) === String(known[name])) continue;
        for (const one of typeof value === "string" ? [value] : value) after.append(name, one);
      }
      navigate(`${location.pathname}${after.size === 0 ? "" : `?${after.toString()}`}`, { replace });
    },
    [key],
  );
  return [state, change];
}

/**
 * Navigates after the next render, when a form that was just sent no longer asks before leaving. By default, the new address
 * replaces this one in the history.
 */
export function useNextAddress({ replace = true } = {}): (address: string) => void {
  const [, navigate] = useLocation();
  const [next, setNext] = useState<string>();
  useEffect(() => {
    if (next === undefined) return;
    setNext(undefined);
    navigate(next, { replace });
  }, [next, navigate, replace]);
  return setNext;
}
