/** The form of the screen's address, and how to change it: typing replaces the entry of the history, sending adds one. */
import { useMemo } from "react";
import { navigate, useSearch } from "wouter/use-browser-location";
import { formOfSearch, isSent, searchOfForm, type QueryForm } from "./query-form.ts";

export interface AddressedForm {
  readonly form: QueryForm;
  readonly isSent: boolean;
  /** The view of the answer. */
  readonly view: string;
  readonly edit: (form: QueryForm) => void;
  readonly send: (form: QueryForm) => void;
}

export const VIEW = "view";

export function useQueryForm(): AddressedForm {
  const text = useSearch();
  const search = useMemo(() => new URLSearchParams(text), [text]);
  const form = useMemo(() => formOfSearch(search), [search]);
  const sent = isSent(search);
  const show = (next: QueryForm, willBeSent: boolean, replace: boolean): void => {
    const after = searchOfForm(next, willBeSent);
    const view = search.get(VIEW);
    if (view !== null) after.set(VIEW, view);
    if (String(after) !== String(search)) navigate(`${location.pathname}?${after.toString()}`, { replace });
  };
  return {
    form,
    isSent: sent,
    view: search.get(VIEW) ?? "tree",
    // What was sent keeps its entry, so that the back button shows its answer again.
    edit: (next) => show(next, false, !sent),
    send: (next) => show(next, true, false),
  };
}
