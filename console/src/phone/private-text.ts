/**
 * Phone numbers and Customer IDs are personal data, so they are only in the page's memory. An address with one fills the field and
 * is cleaned at once, so that neither the history nor a copied link contains it.
 */
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { useUrlState } from "../kit/use-url-state.ts";
import { whenSignedOut } from "../session/sign-out.ts";

const texts = new Map<string, string>();
const listeners = new Set<() => void>();

function keep(name: string, text: string): void {
  texts.set(name, text);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

whenSignedOut(() => {
  texts.clear();
  for (const listener of listeners) listener();
});

/** @param name also the parameter's name in an address. */
export function usePrivateText(name: string, initial: string): readonly [string, (text: string) => void] {
  const [state, change] = useUrlState({ [name]: "" });
  const given = state[name] ?? "";
  const kept = useSyncExternalStore(subscribe, () => texts.get(name) ?? initial);
  useEffect(() => {
    if (given === "") return;
    keep(name, given);
    change({ [name]: "" }, { replace: true });
  }, [name, given, change]);
  return [given === "" ? kept : given, useCallback((text: string) => keep(name, text), [name])];
}
