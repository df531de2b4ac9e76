/**
 * A form: validated before it is sent, sent once however often it is submitted, and kept when it is refused. Each problem, whether
 * from the form or the server, is shown at its field, and the first such field gets the focus.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { type ApiFailure, type FieldProblem, failureOfThrown } from "../api/api-failure.ts";
import { placeProblems, stillThere } from "./form-problems.ts";
import { useNextAddress } from "./use-url-state.ts";

export interface FormOptions<Body> {
  readonly body: Body;
  /** JSON pointers into the body that have a field. */
  readonly places: readonly string[];
  /** Validates the body before it is sent. */
  readonly check: (body: Body) => readonly FieldProblem[];
  /**
   * Resolves to the next address, if there is one; an error that it throws is shown. A body that is sent again after a lost
   * answer keeps its old key, so that the registry applies it once.
   */
  readonly send: (body: Body, idempotencyKey: string) => Promise<string | undefined>;
}

export interface FormState {
  readonly element: RefObject<HTMLFormElement | null>;
  readonly phase: "open" | "sending" | "done";
  /** The refusal of the last attempt. */
  readonly failure: ApiFailure | undefined;
  /** Problems in values that have not changed since. */
  readonly problems: readonly FieldProblem[];
  /** Problems that no field shows. */
  readonly others: readonly FieldProblem[];
  readonly errorAt: (place: string) => string | undefined;
  readonly submit: () => Promise<void>;
  /** Resets the form and forgets the problems of the last attempt; not during an attempt. */
  readonly clear: () => void;
}

interface Attempt {
  readonly phase: FormState["phase"];
  readonly found: readonly FieldProblem[];
  /** The body in which the problems were found. */
  readonly body: unknown;
  readonly failure: ApiFailure | undefined;
}

const none: Attempt = { phase: "open", found: [], body: undefined, failure: undefined };

export function useForm<Body>({ body, places, check, send }: FormOptions<Body>): FormState {
  const element = useRef<HTMLFormElement>(null);
  const isTaken = useRef(false);
  const request = useRef({ text: "", key: "" });
  const [{ phase, found, failure, ...last }, setAttempt] = useState(none);
  const goTo = useNextAddress();

  const submit = async (): Promise<void> => {
    if (isTaken.current) return;
    const wrong = check(body);
    setAttempt({ phase: wrong.length > 0 ? "open" : "sending", found: wrong, body, failure: undefined });
    if (wrong.length > 0) return;
    isTaken.current = true;
    // The fields are inert now, so none of them can keep the focus.
    element.current?.querySelector<HTMLElement>("[type=submit]")?.focus();
    const text = JSON.stringify(body);
    if (request.current.text !== text) request.current = { text, key: crypto.randomUUID() };
    try {
      const next = await send(body, request.current.key);
      setAttempt({ ...none, phase: "done" });
      if (next !== undefined) goTo(next);
    } catch (error) {
      isTaken.current = false;
      const refused = failureOfThrown(error);
      setAttempt({ phase: "open", found: refused.problems, body, failure: refused });
    }
  };
  // The focus moves only after an attempt to send.
  useEffect(() => {
    if (found.length > 0 && element.current !== null) focusFirstWrong(element.current);
  }, [found]);

  const clear = useCallback(() => {
    setAttempt((attempt) => {
      if (attempt.phase === "sending") return attempt;
      isTaken.current = false;
      return none;
    });
  }, []);
  const problems = failure === undefined ? stillWrong(found, check, body) : stillThere(found, last.body, body);
  const { byPlace, others } = placeProblems(problems, places);
  return {
    element,
    phase,
    failure,
    problems,
    others,
    errorAt: (place) => byPlace.get(place),
    submit,
    clear,
  };
}

/** A problem that the form itself found disappears as soon as the form no longer finds it. */
function stillWrong<Body>(found: readonly FieldProblem[], check: FormOptions<Body>["check"], body: Body) {
  if (found.length === 0) return found;
  const now = check(body);
  return found.filter((was) => now.some(({ field, message }) => field === was.field && message === was.message));
}

function focusFirstWrong(form: HTMLFormElement): void {
  // A whole list has no control, so its error takes the focus.
  const marked = form.querySelector<HTMLElement>("[aria-invalid=true], .field-error[tabindex]");
  for (const details of form.querySelectorAll("details")) if (details.contains(marked)) details.open = true;
  (marked ?? form.querySelector<HTMLElement>("[role=alert]"))?.focus();
}
