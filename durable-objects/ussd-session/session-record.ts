/**
 * What a session object keeps (contract/ussd.md section 4), in one record that is written before a reply leaves. It
 * holds no PIN and no text: of texts the digests, of a new PIN a sealed hash inside the machine's snapshot.
 */
import type { PhoneReply } from "../../workers/platform/phone-reply.ts";
import type { StoredMachine } from "./conversation.ts";
import type { Draft } from "./draft.ts";
import type { Language } from "./i18n/languages.ts";
import type { SessionEntry } from "./ports.ts";
import { sessionName } from "../../workers/platform/phone-session-name.ts";
import type { Binding } from "./rpc.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { TextHistory } from "./input/text-meaning.ts";

export interface SessionRecord extends Binding {
  /** Whose gateway dialled, where it has an adapter of its own: it may say that the call is over without naming the phone. */
  readonly provider?: string;
  /**
   * `opening`: the dial is being counted; `expired` and `ended` sessions are gone for everyone, but what they left to go
   * on with can still be fetched, and an END is given again.
   */
  readonly status: "opening" | "live" | "expired" | "ended";
  /** Random: the keys of all effects begin with it. */
  readonly seed: string;
  readonly language: Language;
  /** The key under which the digests of the history were made. */
  readonly digestKey: string;
  readonly history: TextHistory;
  readonly reply: PhoneReply;
  /** Which screen that was. */
  readonly screen: string;
  /** Null once the session is over. */
  readonly machine: StoredMachine | null;
  /** The parent's state and the path down to the innermost. */
  readonly state: string;
  readonly path: string;
  readonly authenticated: boolean;
  readonly draft: Draft | null;
  /** Until when the draft can be fetched, Unix milliseconds; null without one. */
  readonly resumeUntil: number | null;
  /** The seed of the session that fetched the draft: the same one may ask again. */
  readonly claimedBy: string | null;
  /** Unix milliseconds, as all times here. */
  readonly startedAt: number;
  readonly lastActivity: number;
  /** When a live session expires, and when an ended one is forgotten. */
  readonly expiresAt: number;
  /** Grows with each write. */
  readonly revision: number;
  /** What the index was last told; null before the first time. */
  readonly indexed: IndexedState | null;
  /** Counted since the session began; null once reported. */
  readonly counts: SessionCounts | null;
}

export type IndexedState = Pick<SessionEntry, "authenticated" | "expiresAt" | "resumeUntil" | "endedAt">;

export function sameBinding(record: Binding, other: Binding): boolean {
  return record.phoneNumber === other.phoneNumber && record.serviceCode === other.serviceCode;
}

export function isOver({ status }: SessionRecord): boolean {
  return status === "expired" || status === "ended";
}

/** The draft that may be gone on with now. */
export function openDraft({ draft, resumeUntil, claimedBy }: SessionRecord, now: number): Draft | null {
  return resumeUntil !== null && resumeUntil > now && claimedBy === null ? draft : null;
}

export function indexEntry(record: SessionRecord): SessionEntry {
  return {
    sessionId: sessionName(record),
    phoneNumber: record.phoneNumber,
    serviceCode: record.serviceCode,
    revision: record.revision,
    startedAt: record.startedAt,
    lastActivity: record.lastActivity,
    state: record.state,
    ...indexedState(record),
  };
}

function indexedState(record: SessionRecord): IndexedState {
  return {
    authenticated: record.authenticated,
    expiresAt: record.expiresAt,
    resumeUntil: record.claimedBy === null ? record.resumeUntil : null,
    endedAt: isOver(record) ? record.lastActivity : null,
  };
}

/** Milliseconds by which times in the index may lag behind before they are worth a write. */
const INDEX_LAG_MS = 30_000;

/**
 * Whether the index would say something that matters otherwise. The state does not: nobody reads it there, so it is that
 * of the last write, and walking through menus costs the database nothing.
 */
export function isIndexStale(record: SessionRecord): boolean {
  const { indexed } = record;
  if (indexed === null) return true;
  const state = indexedState(record);
  return (
    indexed.authenticated !== state.authenticated ||
    indexed.endedAt !== state.endedAt ||
    state.expiresAt - indexed.expiresAt > INDEX_LAG_MS ||
    (indexed.resumeUntil === null) !== (state.resumeUntil === null) ||
    (state.resumeUntil ?? 0) - (indexed.resumeUntil ?? 0) > INDEX_LAG_MS
  );
}

export function asIndexed(record: SessionRecord): SessionRecord {
  return { ...record, indexed: indexedState(record) };
}

/** When the alarm has something to do; undefined: never. */
export function nextAlarm(record: SessionRecord): number {
  if (record.status === "live") return record.expiresAt;
  return Math.max(record.expiresAt, record.resumeUntil ?? 0);
}
