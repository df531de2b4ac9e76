/**
 * Keeps a session's record through its life (contract/ussd.md section 4): each change is one write, made before the
 * reply leaves; the index, the alarm and the statistics follow from it.
 */
import type { PhoneReply } from "../../workers/platform/phone-reply.ts";
import type { Conversation } from "./conversation.ts";
import type { Draft } from "./draft.ts";
import type { Notice } from "./i18n/dictionary.ts";
import type { SessionRequest } from "./rpc.ts";
import { counted, milestoneOf, noCounts, type Ending } from "./session-counts.ts";
import { createSessionIndex } from "./session-index.ts";
import type { SessionParts } from "./session-parts.ts";
import { asIndexed, isIndexStale, nextAlarm, openDraft, sameBinding, type SessionRecord } from "./session-record.ts";
import { createSessionStore } from "./store.ts";
import { answered, type TextHistory } from "./input/text-meaning.ts";

/** Milliseconds until a write to the index that failed is made again. */
const INDEX_RETRY_MS = 5_000;

export interface SessionKeeper {
  read(): SessionRecord | undefined;
  /** A new session, before anything is asked of anyone; the same dial after a crash has the same seed. */
  begin(request: SessionRequest, texts: { readonly history: TextHistory; readonly digestKey: string }): SessionRecord;
  /** After a step that went well. */
  advance(
    record: SessionRecord,
    talk: Conversation,
    step: {
      readonly history: TextHistory;
      readonly arrivedAt: number;
      readonly resync: boolean;
      readonly warning?: Notice | undefined;
    },
  ): SessionRecord;
  /** With these last words; what can be gone on with is kept. */
  end(record: SessionRecord, reply: PhoneReply, ending: Ending): void;
  expire(record: SessionRecord): void;
  /** The draft, for who claims it first. */
  claim(record: SessionRecord, claim: string): Draft | null;
  /** Tells the index what it could not be told; when the alarm has to look again. */
  retryIndex(record: SessionRecord): number | undefined;
  /** Done when the index knows what it was told. */
  indexed(): Promise<void>;
  erase(): Promise<void>;
}

/** `inTurn`: does work between two steps. */
export function createSessionKeeper(
  parts: SessionParts,
  inTurn: (work: () => void) => Promise<unknown>,
): SessionKeeper {
  const { clock, rules } = parts;
  const store = createSessionStore(parts.storage);
  const index = createSessionIndex({
    saveSession: (entry) => parts.accounts.saveSession(entry),
    background: parts.background,
    failed: () => {
      // Between two steps: a step that began before would write over it what it has read.
      parts.background(
        inTurn(() => {
          const record = store.read();
          if (record === undefined || record.status === "opening") return;
          store.write({ ...record, indexed: null });
          parts.wake(clock() + INDEX_RETRY_MS);
        }),
      );
    },
  });

  function commit(changed: SessionRecord): SessionRecord {
    const next = { ...changed, revision: changed.revision + 1 };
    const isStale = isIndexStale(next);
    const record = isStale ? asIndexed(next) : next;
    store.write(record);
    parts.wake(nextAlarm(record));
    if (isStale) index.save(record);
    return record;
  }

  /** The session is over: its login and its machine go, its counts are reported. */
  function over(record: SessionRecord, ending: Ending): SessionRecord {
    if (record.counts !== null) {
      const report = { ...record.counts, lastScreen: record.screen, ending };
      parts.background(parts.statistics.report(report));
    }
    return { ...record, machine: null, authenticated: false, counts: null };
  }

  function resumeUntil(draft: Draft | null, now: number): number | null {
    return draft === null || rules.resumeWindowMs === 0 ? null : now + rules.resumeWindowMs;
  }

  return {
    read: () => store.read(),

    begin(request, { history, digestKey }) {
      const now = clock();
      const known = store.read();
      const isOwn = known !== undefined && sameBinding(known, request);
      const draft = isOwn ? openDraft(known, now) : null;
      const record: SessionRecord = {
        sessionId: request.sessionId,
        serviceCode: request.serviceCode,
        phoneNumber: request.phoneNumber,
        ...(request.provider === undefined ? {} : { provider: request.provider }),
        status: "opening",
        seed: isOwn && known.status === "opening" ? known.seed : parts.newSeed(),
        language: rules.defaultLanguage,
        digestKey,
        history,
        reply: { kind: "END", body: "" },
        screen: "",
        machine: null,
        state: "idle",
        path: "idle",
        authenticated: false,
        draft,
        resumeUntil: draft === null ? null : (known?.resumeUntil ?? null),
        claimedBy: null,
        startedAt: now,
        lastActivity: now,
        expiresAt: now + rules.lifetimeMs,
        revision: 0,
        indexed: null,
        counts: null,
      };
      store.write(record);
      parts.wake(nextAlarm(record));
      return record;
    },

    advance(record, talk, { history, arrivedAt, resync, warning }) {
      const { place } = talk;
      const isRefused = place.notice !== undefined && place.path === record.path;
      const shown = talk.show(warning);
      const now = clock();
      const isClosed = talk.status === "closed";
      const draft = isClosed ? null : talk.draft;
      const counts = counted(record.counts ?? noCounts(talk.language), {
        language: talk.language,
        screen: shown.screen,
        refusedOn: isRefused ? shown.screen : undefined,
        milestone: place.path === record.path ? undefined : milestoneOf(record.screen, shown.screen),
        milliseconds: now - arrivedAt,
        overflow: shown.overflow,
        resync,
      });
      const next: SessionRecord = {
        ...record,
        status: isClosed ? "ended" : "live",
        language: talk.language,
        history: answered(history, now),
        reply: { kind: shown.kind, body: shown.body },
        screen: shown.screen,
        machine: isClosed ? null : talk.stored,
        state: talk.state,
        path: place.path,
        authenticated: talk.authenticated,
        draft,
        resumeUntil: resumeUntil(draft, now),
        claimedBy: null,
        lastActivity: now,
        expiresAt: now + rules.lifetimeMs,
        counts,
      };
      return commit(isClosed ? over(next, "exit") : next);
    },

    end(record, reply, ending) {
      const now = clock();
      commit({
        ...over(record, ending),
        status: "ended",
        history: answered(record.history, now),
        reply: { kind: reply.kind, body: reply.body },
        resumeUntil: resumeUntil(record.draft, now),
        lastActivity: now,
        expiresAt: now + rules.lifetimeMs,
      });
    },

    expire(record) {
      const now = clock();
      const ending = now < record.expiresAt ? "dropped" : "expired";
      commit({ ...over(record, ending), status: "expired", expiresAt: Math.min(now, record.expiresAt) });
    },

    claim(record, claim) {
      const now = clock();
      if (record.claimedBy === claim) return record.draft;
      const draft = openDraft(record, now);
      if (draft !== null) commit({ ...record, claimedBy: claim });
      return draft;
    },

    retryIndex(record) {
      if (record.indexed !== null || record.status === "opening") return undefined;
      store.write(asIndexed(record));
      index.save(record);
      return Math.min(nextAlarm(record), clock() + INDEX_RETRY_MS);
    },

    indexed: () => index.settled(),

    async erase() {
      await parts.erase();
      store.forget();
    },
  };
}
