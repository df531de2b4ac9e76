/**
 * The first request of a session (contract/ussd.md section 4): counts the visit, learns the phone's language and fetches
 * what an earlier session of this phone and code left to go on with, once.
 */
import type { Draft } from "./draft.ts";
import type { Language } from "./i18n/languages.ts";
import { sessionName } from "../../workers/platform/phone-session-name.ts";
import type { SessionRecord } from "./session-record.ts";
import type { SessionParts } from "./session-parts.ts";

/** Milliseconds that fetching a draft may take: a dial must not wait for what is only an offer. */
const FETCH_BUDGET_MS = 1_500;

export interface Dialled {
  readonly language: Language;
  readonly draft: Draft | null;
  readonly accountsLeft: number;
}

/** Undefined when the database cannot be asked in time. */
export async function dialIn(parts: SessionParts, opening: SessionRecord): Promise<Dialled | undefined> {
  const { accounts, rules, conversation } = parts;
  const { phoneNumber, serviceCode, seed } = opening;
  const dialling = accounts.dial({ sessionId: sessionName(opening), phoneNumber, serviceCode, visitKey: seed });
  const dialled = await within(parts, conversation.replyBudgetMs, dialling);
  if (!dialled?.ok) return undefined;
  const { language, resumable, accountsLeft } = dialled.value;
  const spoken = language ?? rules.defaultLanguage;
  if (rules.resumeWindowMs === 0) return { language: spoken, draft: null, accountsLeft };
  if (opening.draft !== null || resumable === null) return { language: spoken, draft: opening.draft, accountsLeft };

  const claim = { phoneNumber, serviceCode, claim: seed };
  const fetched = await within(
    parts,
    FETCH_BUDGET_MS,
    parts
      .neighbour(resumable)
      .takeDraft(claim)
      .catch(() => null),
  );
  return { language: spoken, draft: fetched ?? null, accountsLeft };
}

/** The value, or undefined when it takes longer. */
export function within<Value>(
  { after }: Pick<SessionParts, "after">,
  milliseconds: number,
  work: Promise<Value>,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const callOff = after(milliseconds, () => resolve(undefined));
    work.then(resolve, reject).finally(callOff);
  });
}
