/** The user's entries for a webhook, the body that is sent, and its changed members. */
import type { FieldProblem } from "../../api/api-failure.ts";
import { sameJson } from "../../kit/same-json.ts";
import type { Action, Webhook } from "./webhook.ts";

export interface WebhookBody {
  readonly url: string;
  readonly description: string | null;
  readonly actions: Action[];
  readonly enabled?: boolean;
}

export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly isEvery: boolean;
  readonly actions: readonly Action[];
  readonly isEnabled: boolean;
}

export function draftOf(webhook: Webhook | undefined): WebhookDraft {
  const { url = "", description = "", actions = [] } = webhook ?? {};
  return { url, description: description ?? "", isEvery: actions.length === 0, actions, isEnabled: true };
}

export function bodyOf({ url, description, isEvery, actions, isEnabled }: WebhookDraft, isNew: boolean): WebhookBody {
  const text = description.trim();
  return {
    url: url.trim(),
    description: text === "" ? null : text,
    actions: isEvery ? [] : [...actions],
    ...(isNew ? { enabled: isEnabled } : {}),
  };
}

/** The members that differ: a save sends only these, so that other users' concurrent changes are kept. */
export function changedOf(before: WebhookBody, after: WebhookBody): Partial<WebhookBody> {
  const names = ["url", "description", "actions", "enabled"] as const;
  return Object.fromEntries(
    names.filter((name) => !sameJson(before[name], after[name])).map((name) => [name, after[name]]),
  );
}

/** An empty list would mean every change. */
export function unchosen({ actions }: WebhookBody, isEvery: boolean): readonly FieldProblem[] {
  if (isEvery || actions.length > 0) return [];
  return [{ field: "/actions", code: "required", message: "Choose at least one kind of change, or every change." }];
}
