/**
 * The stored state of a session object, in one record that is written before a reply is sent. It contains no PIN and no
 * text: only digests of texts and, inside the machine's snapshot, a sealed hash of a new PIN. It is parsed with its
 * schema, because another version of this code may have written it.
 */
import * as z from "zod";
import { sessionName } from "../../../platform/object-names.ts";
import type { Milestone, SessionCounts, SessionEntry } from "../ports.ts";
import type { Binding, Draft, SessionRequest } from "../rpc.ts";
import type { SessionRules } from "../settings.ts";
import { LANGUAGES, type Language } from "../texts/dictionary.ts";

/** Unix milliseconds. */
const time = z.number();

const history = z.object({
  mode: z.enum(["undecided", "cumulative", "latest"]),
  accepted: z.array(z.object({ length: z.number(), digest: z.string() })),
  answeredAt: time,
  requestIds: z.array(z.string()).exactOptional(),
  rawDigest: z.string().exactOptional(),
});

const draft = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("creation"),
    step: z.enum(["emailEntry", "pinEntry"]),
    name: z.string(),
    email: z.string().nullable(),
    creationKey: z.string().exactOptional(),
  }),
  z.object({ kind: z.literal("question"), customerId: z.string(), jobId: z.string(), askedAt: time }),
  z.object({ kind: z.literal("created"), customerId: z.string() }),
]);

const counts = z.object({
  language: z.enum(LANGUAGES),
  screens: z.record(z.string(), z.object({ shown: z.number(), refused: z.number() })),
  steps: z.number(),
  resyncs: z.number(),
  overflows: z.number(),
  milestones: z.partialRecord(z.enum(["login", "account_created", "question_answered", "resumed"]), z.number()),
  latencies: z.record(z.string(), z.number()),
  latencySumMs: z.number(),
});

const sessionRecord = z.object({
  sessionId: z.string(),
  serviceCode: z.string(),
  phoneNumber: z.string(),
  /** The gateway's adapter, if it has one: it may report the end of a call without naming the phone. */
  provider: z.string().exactOptional(),
  /**
   * `opening`: the dial is being counted. `expired` and `ended` sessions have ended, but their draft can still be
   * claimed, and an END is repeated.
   */
  status: z.enum(["opening", "live", "expired", "ended"]),
  /** Random: the prefix of the keys of all effects. */
  seed: z.string(),
  language: z.enum(LANGUAGES),
  /** The key under which the digests of the history were made. */
  digestKey: z.string(),
  history,
  /** The stored text mode of the gateway; absent if it is unknown. */
  knownMode: z.enum(["cumulative", "latest"]).exactOptional(),
  reply: z.object({ kind: z.enum(["CON", "END"]), body: z.string() }),
  /** The screen of that reply. */
  screen: z.string(),
  /** Null after the session has ended. The menus validate the snapshot, and restore it or start again. */
  machine: z.object({ version: z.number(), snapshot: z.unknown(), pages: z.record(z.string(), z.number()) }).nullable(),
  /** The root's state and the path down to the innermost state. */
  state: z.string(),
  path: z.string(),
  authenticated: z.boolean(),
  draft: draft.nullable(),
  /** Until when the draft can be claimed; null without a draft. */
  resumeUntil: time.nullable(),
  /** The seed of the session that claimed the draft, which may repeat the claim. */
  claimedBy: z.string().nullable(),
  startedAt: time,
  lastActivity: time,
  /** When a live session expires, and when an ended one is forgotten. */
  expiresAt: time,
  /** Increases with each write. */
  revision: z.number(),
  /** The values in the index; null before the first write to it, and after a failed one. */
  indexed: z
    .object({
      authenticated: z.boolean(),
      expiresAt: time,
      resumeUntil: time.nullable(),
      endedAt: time.nullable(),
    })
    .nullable(),
  /** Since the session began; null once reported. */
  counts: counts.nullable(),
});

type Immutable<Value> = Value extends object ? { readonly [Key in keyof Value]: Immutable<Value[Key]> } : Value;
export type SessionRecord = Immutable<z.infer<typeof sessionRecord>>;
type IndexedState = NonNullable<SessionRecord["indexed"]>;

/** Undefined if it cannot be read: the session is lost, and its caller dials again. */
export function readStoredRecord(text: string): SessionRecord | undefined {
  try {
    return sessionRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function sameBinding(record: Binding, other: Binding): boolean {
  return record.phoneNumber === other.phoneNumber && record.serviceCode === other.serviceCode;
}

export function isOver({ status }: SessionRecord): boolean {
  return status === "expired" || status === "ended";
}

/** A new session, before any call to a port; a repeated dial after a crash has the same seed. */
export function openingRecord(
  request: SessionRequest,
  { history, digestKey }: Pick<SessionRecord, "history" | "digestKey">,
  context: {
    /** The record stored so far. */
    readonly known: SessionRecord | undefined;
    readonly now: number;
    readonly rules: SessionRules;
    newSeed(): string;
  },
): SessionRecord {
  const { sessionId, serviceCode, phoneNumber, provider } = request;
  const { now, rules } = context;
  const known = context.known !== undefined && sameBinding(context.known, request) ? context.known : undefined;
  const left = known === undefined ? null : openDraft(known, now);
  return {
    sessionId,
    serviceCode,
    phoneNumber,
    ...(provider === undefined ? {} : { provider }),
    status: "opening",
    seed: known?.status === "opening" ? known.seed : context.newSeed(),
    language: rules.defaultLanguage,
    digestKey,
    history,
    reply: { kind: "END", body: "" },
    screen: "",
    machine: null,
    state: "idle",
    path: "idle",
    authenticated: false,
    draft: left,
    resumeUntil: left === null ? null : (known?.resumeUntil ?? null),
    claimedBy: null,
    startedAt: now,
    lastActivity: now,
    expiresAt: now + rules.lifetimeMs,
    revision: 0,
    indexed: null,
    counts: null,
  };
}

/** The draft that can be claimed now. */
export function openDraft({ draft: left, resumeUntil, claimedBy }: SessionRecord, now: number): Draft | null {
  return resumeUntil !== null && resumeUntil > now && claimedBy === null ? left : null;
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

export function asIndexed(record: SessionRecord): SessionRecord {
  return { ...record, indexed: indexedState(record) };
}

/** Milliseconds by which times in the index may lag before they are written. */
const INDEX_LAG_MS = 30_000;

/**
 * Whether the index lacks something that matters. The state does not, because it is not read there: it is the state of
 * the last write, and walking through menus costs the database nothing.
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

/** When the alarm has work to do. */
export function nextAlarm(record: SessionRecord): number {
  if (record.status === "live") return record.expiresAt;
  return Math.max(record.expiresAt, record.resumeUntil ?? 0);
}

/** Upper bounds of the histogram of reply times, in milliseconds. */
const LATENCY_BOUNDS = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

export interface CountedStep {
  readonly language: Language;
  readonly screen: string;
  /** The screen on which an input was rejected. */
  readonly refusedOn?: string | undefined;
  readonly resync: boolean;
  readonly overflow: boolean;
  readonly milestone?: Milestone | undefined;
  readonly milliseconds: number;
}

/** Adds a step; `counts` is null before the first. They are reported once, when the session has ended. */
export function counted(counts: SessionCounts | null, step: CountedStep): SessionCounts {
  const { language, screen, refusedOn, milestone, milliseconds } = step;
  const { screens = {}, milestones = {}, latencies = {} } = counts ?? {};
  const bound = String(LATENCY_BOUNDS.find((limit) => milliseconds <= limit) ?? "inf");
  const shown = added(screens, screen, { shown: 1, refused: 0 });
  return {
    language,
    screens: refusedOn === undefined ? shown : added(shown, refusedOn, { shown: 0, refused: 1 }),
    steps: (counts?.steps ?? 0) + 1,
    resyncs: (counts?.resyncs ?? 0) + (step.resync ? 1 : 0),
    overflows: (counts?.overflows ?? 0) + (step.overflow ? 1 : 0),
    milestones: milestone === undefined ? milestones : { ...milestones, [milestone]: (milestones[milestone] ?? 0) + 1 },
    latencies: { ...latencies, [bound]: (latencies[bound] ?? 0) + 1 },
    latencySumMs: (counts?.latencySumMs ?? 0) + milliseconds,
  };
}

type ScreenCounts = SessionCounts["screens"];

function added(screens: ScreenCounts, screen: string, more: ScreenCounts[string]): ScreenCounts {
  const { shown, refused } = screens[screen] ?? { shown: 0, refused: 0 };
  return { ...screens, [screen]: { shown: shown + more.shown, refused: refused + more.refused } };
}

/** The milestone reached when `screen` follows `before`. */
export function milestoneOf(before: string, screen: string): Milestone | undefined {
  if (screen === "OK") return "login";
  // A new call shows it again.
  if (screen === "K" && before !== "") return "account_created";
  if (screen === "OA" && before !== "OA") return "question_answered";
  if (before === "W" && (screen === "E" || screen === "P")) return "resumed";
  return undefined;
}
