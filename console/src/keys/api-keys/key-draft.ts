/** The user's entries for a new key, and the body that is sent for it. */
import type { FieldProblem } from "../../api/api-failure.ts";
import type { operations } from "../../api/paths.d.ts";
import type { ApiKey, Scope } from "./api-key.ts";

export type KeyBody = operations["createApiKey"]["requestBody"]["content"]["application/json"];

export type DidChoice = "own" | "other" | "fresh";
export const expiries = ["30", "90", "365", "date", "never"] as const;
export type Expiry = (typeof expiries)[number];

export interface KeyDraft {
  readonly label: string;
  /** Undefined until the user selects one. */
  readonly didChoice: DidChoice | undefined;
  /** One text per option, so that changing the selection loses nothing. */
  readonly otherDid: string;
  readonly freshDid: string;
  readonly scopes: readonly Scope[];
  readonly role: NonNullable<ApiKey["role"]> | "";
  readonly expiry: Expiry;
  /** The date in the format of a date input. */
  readonly date: string;
}

/** Milliseconds. */
const DAY = 86_400_000;

export const emptyDraft: KeyDraft = {
  label: "",
  didChoice: undefined,
  otherDid: "",
  freshDid: "",
  scopes: ["domains:read"],
  role: "",
  expiry: "90",
  date: "",
};

/** When the key ends: null for never, "" while no date is selected. */
export function endOf({ expiry, date }: KeyDraft, now: number): string | null {
  if (expiry === "never") return null;
  if (expiry === "date") return date === "" ? "" : `${date}T23:59:59Z`;
  return new Date(now + Number(expiry) * DAY).toISOString();
}

/** @param own the DID of this tab's key, if it has one. */
export function didChoiceOf({ didChoice }: KeyDraft, own: string | undefined): DidChoice {
  return didChoice ?? (own === undefined ? "other" : "own");
}

export function bodyOf(
  draft: KeyDraft,
  { own = "", now }: { readonly own?: string | undefined; now: number },
): KeyBody {
  const { label, otherDid, freshDid, scopes, role } = draft;
  const choice = didChoiceOf(draft, own === "" ? undefined : own);
  return {
    label: label.trim(),
    did: { own, other: otherDid.trim(), fresh: freshDid }[choice],
    scopes: [...scopes],
    role: role === "" || !scopes.includes("verification:propose") ? null : role,
    expiresAt: endOf(draft, now),
  };
}

/** Problems that the server refuses and the schema cannot express. */
export function ownProblems({ scopes, role }: KeyBody): readonly FieldProblem[] {
  if (role !== null || !scopes.includes("verification:propose")) return [];
  return [{ field: "/role", code: "required", message: "The scope verification:propose needs a role." }];
}
