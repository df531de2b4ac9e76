/** A body during editing and its JSON text, kept in sync. An invalid text is kept as it is. */
import { useState } from "react";
import { parsedBody, withMember, type Body } from "./domain-draft.ts";

export interface Draft {
  readonly body: Body;
  readonly text: string;
  /** Whether the text is not a JSON object, or nests deeper than the registry accepts, so that the body is older than the text. */
  readonly isBroken: boolean;
  readonly setMember: (path: readonly string[], value: unknown) => void;
  readonly setText: (text: string) => void;
  readonly setBody: (body: Body) => void;
}

export function useDraft(initial: Body): Draft {
  const [{ body, text, isBroken }, set] = useState(() => stateOf(initial));
  return {
    body,
    text,
    isBroken,
    setMember: (path, value) => set((before) => stateOf(withMember(before.body, path, value))),
    setText: (typed) =>
      set((before) => {
        const parsed = parsedBody(typed);
        return { body: parsed ?? before.body, text: typed, isBroken: parsed === undefined };
      }),
    setBody: (replaced) => set(stateOf(replaced)),
  };
}

function stateOf(body: Body) {
  return { body, text: JSON.stringify(body, null, 2), isBroken: false };
}
