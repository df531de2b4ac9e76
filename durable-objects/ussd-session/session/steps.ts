/**
 * A live session: the dial, each step, its end. The changes of a step are stored before the reply is sent. session.ts
 * checks who can use the session and interprets texts; menus/ contains the menus.
 */
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { MAX_TEXT, UNAVAILABLE, type PhoneReply } from "../../../platform/phone-reply.ts";
import { sessionName } from "../../../platform/object-names.ts";
import { answered, type TextHistory, type TextMeaning, type TextMode } from "../input/text-meaning.ts";
import type { Conversation, Menus, StepResult } from "../menus/conversation.ts";
import type { AccountsPort, DigestPort, SessionReport, StatisticsPort } from "../ports.ts";
import type { Draft, DraftClaim, SessionAnswer, SessionRequest, UssdSessionRpc } from "../rpc.ts";
import type { SessionRules } from "../settings.ts";
import type { Language, Message } from "../texts/dictionary.ts";
import { within } from "./queue.ts";
import { counted, milestoneOf, openDraft, openingRecord, type SessionRecord } from "./record.ts";
import type { SessionStore, StoreDependencies } from "./store.ts";

/** The dependencies of a session on its platform and its deployment. */
export interface SessionDependencies extends Omit<StoreDependencies, "inTurn"> {
  readonly rules: SessionRules;
  readonly menus: Menus;
  readonly accounts: AccountsPort;
  readonly digests: DigestPort;
  readonly statistics: StatisticsPort;
  /** The object of another session. */
  otherSession(name: string): Pick<UssdSessionRpc, "claimDraft">;
  /** Whether this phone can send another request now; absent without such a limit. */
  readonly withinRate?: ((phoneNumber: string) => Promise<boolean>) | undefined;
  /** Whether messages can be sent. */
  readonly sms: boolean;
  after(milliseconds: number, work: () => void): () => void;
  /** Unguessable and unique. */
  newSeed(): string;
  readonly log: Logger;
}

/** Milliseconds for which the screen with a new Customer ID waits for the caller's answer: 30 days. */
const CREATED_KEPT_MS = 30 * 86_400_000;
/** Milliseconds that claiming a draft may take: a dial must not wait for a mere offer. */
const CLAIM_BUDGET_MS = 1_500;
/** Characters: with less room than this for the next input, the caller is warned. */
const WARNED_ROOM = 40;

export interface Opening extends Extract<TextMeaning, { kind: "open" }> {
  readonly digestKey: string;
}

/** How a live session handles a text that is not a repetition. */
type StepMeaning = Extract<TextMeaning, { kind: "input" | "show" }>;

interface Step {
  readonly request: Pick<SessionRequest, "text" | "mode" | "gateway">;
  readonly history: TextHistory;
  readonly arrivedAt: number;
  readonly resync: boolean;
}

interface Dialled {
  readonly language: Language;
  readonly draft: Draft | null;
  /** The other session to which the draft belonged, if any. */
  readonly draftOf?: string;
  readonly accountsLeft: number;
  /** The gateway's detected text mode; null if it is unknown. */
  readonly textMode: KnownMode | null;
}

type KnownMode = Exclude<TextMode, "undecided">;

export function createLiveSession(dependencies: SessionDependencies, store: SessionStore) {
  const { accounts, clock, menus, rules } = dependencies;
  /** The conversation of this instance of the object. */
  let conversation: Conversation | undefined;

  /** Drops all memory beyond the record. */
  function drop(): void {
    conversation?.stop();
    conversation = undefined;
  }

  function resumeUntil(draft: Draft | null, now: number): number | null {
    if (draft?.kind === "created") return now + CREATED_KEPT_MS;
    return draft === null || rules.resumeWindowMs === 0 ? null : now + rules.resumeWindowMs;
  }

  /** Ends the session: removes its login and its machine, and reports its counts. */
  function over(record: SessionRecord, ending: SessionReport["ending"]): SessionRecord {
    const { counts, screen } = record;
    if (counts !== null) {
      dependencies.background(dependencies.statistics.report({ ...counts, lastScreen: screen, ending }));
    }
    return { ...record, machine: null, authenticated: false, counts: null };
  }

  /**
   * Counts the visit, and claims the draft of an earlier session. Undefined if the database does not respond in time.
   */
  async function dialled(
    { draft, ...record }: SessionRecord,
    { gateway }: SessionRequest,
  ): Promise<Dialled | undefined> {
    const { phoneNumber, serviceCode, seed } = record;
    const caller = { sessionId: sessionName(record), phoneNumber };
    const dialling = accounts.dial({
      ...caller,
      serviceCode,
      visitKey: seed,
      ...(gateway === undefined ? {} : { gateway }),
    });
    const outcome = await within(dependencies.after, menus.replyBudgetMs, dialling);
    if (!outcome?.ok) return undefined;
    const { language: known, resumable, accountsLeft, textMode } = outcome.value;
    const language = known ?? rules.defaultLanguage;
    if (draft !== null || resumable === null) return { language, draft, accountsLeft, textMode };
    const claim = { phoneNumber, serviceCode, claim: seed };
    const claiming = dependencies
      .otherSession(resumable)
      .claimDraft(claim)
      .catch(() => null);
    const claimed = await within(dependencies.after, CLAIM_BUDGET_MS, claiming);
    if (claimed === undefined) dependencies.background(returnLate(claiming, resumable, claim));
    const isOffered = rules.resumeWindowMs > 0 || claimed?.kind === "created";
    const offered = isOffered ? (claimed ?? null) : null;
    return { language, draft: offered, accountsLeft, textMode, ...(offered === null ? {} : { draftOf: resumable }) };
  }

  /** The dial did not wait for this draft, so the next dial is offered it. */
  async function returnLate(claiming: Promise<Draft | null>, name: string, claim: DraftClaim): Promise<void> {
    if ((await claiming) !== null) await settleClaim(name, { ...claim, outcome: "returned" });
  }

  async function settleClaim(name: string, claim: DraftClaim): Promise<void> {
    try {
      await dependencies.otherSession(name).claimDraft(claim);
    } catch (thrown) {
      dependencies.log.warn("draft-claim-not-settled", { reason: describeThrown(thrown) });
    }
  }

  /**
   * The text mode that the session's texts have shown, stored if it is new. Any caller can type `2*2`, which looks
   * cumulative; but no input makes a cumulative gateway look like one that sends only the latest. So `latest` is final.
   */
  function learn(record: SessionRecord, { request, history: { mode } }: Step): Pick<SessionRecord, "knownMode"> {
    const { gateway } = request;
    const isSought = gateway !== undefined && request.mode === undefined && rules.textMode === "auto";
    if (!isSought || mode === "undecided" || mode === record.knownMode || record.knownMode === "latest") return {};
    dependencies.log.info("ussd-text-mode-learned", { serviceCode: record.serviceCode, mode });
    dependencies.background(accounts.learnTextMode({ gateway, serviceCode: record.serviceCode, mode }));
    return { knownMode: mode };
  }

  function advance(record: SessionRecord, result: StepResult, step: Step): SessionRecord {
    const { history, arrivedAt, resync } = step;
    const { shown, path, language } = result;
    const now = clock();
    const isClosed = result.status === "closed";
    const draft = isClosed ? null : result.draft;
    const next: SessionRecord = {
      ...record,
      ...learn(record, step),
      status: isClosed ? "ended" : "live",
      language,
      history: answered(history, now),
      reply: { kind: shown.kind, body: shown.body },
      screen: shown.screen,
      machine: isClosed ? null : result.machine,
      state: result.state,
      path,
      authenticated: result.authenticated,
      draft,
      resumeUntil: resumeUntil(draft, now),
      claimedBy: null,
      lastActivity: now,
      expiresAt: now + rules.lifetimeMs,
      counts: counted(record.counts, {
        language,
        screen: shown.screen,
        refusedOn: result.hadMessage && path === record.path ? shown.screen : undefined,
        milestone: path === record.path ? undefined : milestoneOf(record.screen, shown.screen),
        milliseconds: now - arrivedAt,
        overflow: shown.overflow,
        resync,
      }),
    };
    return store.write(isClosed ? over(next, "exit") : next);
  }

  /** Ends it with this reply and keeps its draft. */
  function end(record: SessionRecord, reply: PhoneReply, ending: SessionReport["ending"] = "error"): void {
    const now = clock();
    drop();
    store.write({
      ...over(record, ending),
      status: "ended",
      history: answered(record.history, now),
      reply: { kind: reply.kind, body: reply.body },
      resumeUntil: resumeUntil(record.draft, now),
      lastActivity: now,
      expiresAt: now + rules.lifetimeMs,
    });
  }

  function expire(record: SessionRecord): void {
    const now = clock();
    drop();
    const ending = now < record.expiresAt ? "dropped" : "expired";
    store.write({ ...over(record, ending), status: "expired", expiresAt: Math.min(now, record.expiresAt) });
  }

  /** Stores the result of the step; after this the reply can be sent. */
  function finish(record: SessionRecord, talk: Conversation, step: Step): SessionAnswer {
    const room = roomAfter(step);
    const warning: Message | undefined = room < WARNED_ROOM ? { key: "almostFull", values: { room } } : undefined;
    const result = talk.result({ warning, isFull: room < 1 });
    if (result === undefined) {
      const { kind, body } = talk.failure();
      end({ ...record, history: step.history }, { kind, body });
      return { kind, body, outcome: "failed", state: record.state };
    }
    const { full } = result;
    const kept = advance(record, result, step);
    if (full !== undefined) end(kept, full, "full");
    else if (kept.status !== "live") drop();
    const { kind, body } = full ?? kept.reply;
    return { kind, body, outcome: "answered", state: kept.state, screen: kept.screen };
  }

  /** The stored machine belongs to other menus: the login is dropped, the draft kept, the input not applied. */
  function restart(record: SessionRecord, step: Step): SessionAnswer {
    const { phoneNumber, language, draft } = record;
    // Keys of effects count from the seed: a restarted count needs a new seed.
    const renewed = { ...record, seed: dependencies.newSeed() };
    conversation = menus.open({
      caller: { sessionId: sessionName(record), phoneNumber },
      seed: renewed.seed,
      language,
      draft,
      sms: dependencies.sms,
      message: { key: "menuUpdated" },
    });
    return finish(renewed, conversation, step);
  }

  return {
    /** Undefined without a live session. An overdue session expires here, however late the alarm. */
    record(): SessionRecord | undefined {
      const record = store.read();
      if (record?.status !== "live") return undefined;
      if (clock() < record.expiresAt) return record;
      expire(record);
      return undefined;
    },
    async dial(request: SessionRequest, opening: Opening, arrivedAt: number): Promise<SessionAnswer> {
      const { phoneNumber, dialledSuffix } = request;
      const { newSeed } = dependencies;
      const begun = openingRecord(request, opening, { known: store.read(), now: clock(), rules, newSeed });
      store.begin(begun);
      const outcome = await dialled(begun, request);
      if (outcome === undefined) return { ...UNAVAILABLE, outcome: "failed" };
      drop();
      const { language, draft, draftOf, accountsLeft, textMode } = outcome;
      const caller = { sessionId: sessionName(request), phoneNumber };
      const { seed } = begun;
      const opened = menus.open({ caller, seed, sms: dependencies.sms, language, draft, accountsLeft });
      conversation = opened;
      const isSuffixed = request.text === "" && dialledSuffix !== "" && rules.directDial;
      const input = isSuffixed ? ({ kind: "entry", remainder: dialledSuffix } as const) : opening.input;
      // Dialled inputs do not answer a screen that its caller has not seen.
      if (input !== undefined && draft?.kind !== "created") await opened.apply(input, arrivedAt);
      const mode: TextMode = opening.history.mode === "undecided" ? (textMode ?? "undecided") : opening.history.mode;
      const step = { request, history: { ...opening.history, mode }, arrivedAt, resync: false };
      const answer = finish({ ...begun, draft, ...(textMode === null ? {} : { knownMode: textMode }) }, opened, step);
      if (draft?.kind === "created" && draftOf !== undefined) {
        const { serviceCode } = request;
        const kept = { phoneNumber, serviceCode, claim: seed, outcome: "kept" } as const;
        dependencies.background(settleClaim(draftOf, kept));
      }
      return answer;
    },
    /** A text that is not a replay. */
    async step(
      record: SessionRecord,
      meaning: StepMeaning,
      call: Pick<Step, "request" | "arrivedAt">,
    ): Promise<SessionAnswer> {
      const isInput = meaning.kind === "input";
      const history = isInput ? meaning.history : record.history;
      conversation ??= record.machine === null ? undefined : menus.restore(record.machine);
      if (conversation === undefined) return restart(record, { ...call, history, resync: false });
      if (isInput) await conversation.apply(meaning.input, call.arrivedAt, record.path);
      else await conversation.wait(call.arrivedAt);
      return finish(record, conversation, { ...call, history, resync: isInput && meaning.resync });
    },
    /** Whether to ask again for a text past the limit: its input is too long for its step, or the previous one was. */
    asksAgain(record: SessionRecord, meaning: StepMeaning): boolean {
      if ((record.history.accepted.at(-1)?.length ?? 0) > MAX_TEXT) return true;
      conversation ??= record.machine === null ? undefined : menus.restore(record.machine);
      return meaning.kind === "input" && conversation?.isTooLong(meaning.input) === true;
    },
    end,
    expire,
    /**
     * The draft, for the session that claims it first: the caller continues there. A new Customer ID belongs to the
     * claiming session only after it has stored it, because it is shown nowhere else.
     */
    claim(record: SessionRecord, { claim, outcome }: Pick<DraftClaim, "claim" | "outcome">): Draft | null {
      if (outcome === "returned") {
        if (record.claimedBy === claim) store.write({ ...record, claimedBy: null });
        return null;
      }
      if (record.claimedBy === claim) return record.draft;
      const draft = openDraft(record, clock());
      if (draft === null) return null;
      const isTaken = draft.kind !== "created" || outcome === "kept";
      const claimed = isTaken ? store.write({ ...record, claimedBy: claim }) : record;
      if (record.status === "live") end(claimed, menus.goodbye(record.language), "dropped");
      return draft;
    },
    /** The screen without personal data. */
    masked({ machine }: SessionRecord): string | undefined {
      // A session that has been dropped from memory is only read: its effects do not start again.
      const talk = conversation ?? (machine && menus.restore(machine, { start: false }));
      return talk?.masked();
    },
    drop,
  };
}

/** Characters available for the next input if the gateway sends all of them together; no limit otherwise. */
function roomAfter({ request: { text }, history: { mode } }: Step): number {
  if (mode !== "cumulative" || text === "") return Infinity;
  return MAX_TEXT - Array.from(text).length - "*".length;
}
