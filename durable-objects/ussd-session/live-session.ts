/**
 * The live session of an object, if there is one: its conversation, each step stored before the reply leaves, its end
 * (contract/ussd.md section 4). Who may speak to it and what a text means is session.ts's, how it is kept
 * session-keeper.ts's, what the menus do the machines'.
 */
import { UNAVAILABLE, type PhoneReply } from "../../workers/platform/phone-reply.ts";
import { openConversation, restoreConversation, type Conversation } from "./conversation.ts";
import type { Notice } from "./i18n/dictionary.ts";
import { dictionaryOf } from "./i18n/languages.ts";
import type { TextHistory, TextMeaning } from "./input/text-meaning.ts";
import { dialIn } from "./opening.ts";
import { sessionName } from "../../workers/platform/phone-session-name.ts";
import type { SessionAnswer, SessionRequest } from "./rpc.ts";
import { render } from "./screens/render.ts";
import { goodbyeScreen } from "./screens/welcome.ts";
import type { SessionKeeper } from "./session-keeper.ts";
import type { SessionParts } from "./session-parts.ts";
import type { SessionRecord } from "./session-record.ts";

export interface Opening extends Extract<TextMeaning, { kind: "open" }> {
  readonly digestKey: string;
}

export interface LiveSession {
  /** At this moment; a session whose time is over expires here, however late the alarm. */
  record(): SessionRecord | undefined;
  open(request: SessionRequest, opening: Opening, arrivedAt: number): Promise<SessionAnswer>;
  /** A text that is no replay. */
  proceed(
    record: SessionRecord,
    meaning: TextMeaning,
    call: { readonly request: Pick<SessionRequest, "text">; readonly arrivedAt: number },
  ): Promise<SessionAnswer>;
  /** Closes it with these last words; what can be gone on with is kept. */
  shut(record: SessionRecord, reply: PhoneReply): void;
  /** The caller goes on in another session. */
  leave(record: SessionRecord): void;
  /** Nobody is there any more. */
  expire(record: SessionRecord): void;
  /** The screen with what names a person left out. */
  masked(record: SessionRecord): string | undefined;
  /** Forgets what it knows beyond the record. */
  drop(): void;
}

/** Characters that all inputs of a session may have together (spec.md section B). */
const MAX_TEXT = 182;
/** Characters: with less room than this for the next input the caller is warned. */
const WARNED_ROOM = 40;

/** Characters that the next input may have where the gateway sends all of them together; no limit elsewhere. */
function roomAfter({ text }: Pick<SessionRequest, "text">, { mode }: TextHistory): number {
  if (mode !== "cumulative" || text === "") return Infinity;
  return MAX_TEXT - Array.from(text).length - "*".length;
}

export function createLiveSession(parts: SessionParts, keeper: SessionKeeper): LiveSession {
  const { clock, rules } = parts;
  /** As long as this life of the object has seen it. */
  let conversation: Conversation | undefined;

  function drop(): void {
    conversation?.stop();
    conversation = undefined;
  }

  function expire(record: SessionRecord): void {
    drop();
    keeper.expire(record);
  }

  function shut(record: SessionRecord, reply: PhoneReply): void {
    drop();
    keeper.end(record, reply, "error");
  }

  /** Shows where the machine has come to and stores it; after this the reply may leave. */
  function finish(
    record: SessionRecord,
    talk: Conversation,
    step: { readonly history: TextHistory; readonly arrivedAt: number; readonly resync: boolean },
    request: Pick<SessionRequest, "text">,
  ): SessionAnswer {
    if (talk.status === "failed") {
      shut({ ...record, history: step.history }, UNAVAILABLE);
      return { ...UNAVAILABLE, outcome: "failed", state: record.state };
    }
    const room = roomAfter(request, step.history);
    const isFull = room < 1 && talk.status === "live";
    const full = isFull ? talk.showFull() : undefined;
    const isNearlyFull = room < WARNED_ROOM && !isFull;
    const warning: Notice | undefined = isNearlyFull ? { reason: "almostFull", values: { room } } : undefined;
    const kept = keeper.advance(record, talk, { ...step, warning });
    if (full !== undefined) {
      drop();
      keeper.end(kept, full, "full");
      return { kind: full.kind, body: full.body, outcome: "answered", state: kept.state, screen: full.screen };
    }
    if (kept.status !== "live") drop();
    return { ...kept.reply, outcome: "answered", state: kept.state, screen: kept.screen };
  }

  /** What was stored is of other menus: the login goes, the draft stays, the input is not applied. */
  function restart(
    record: SessionRecord,
    history: TextHistory,
    arrivedAt: number,
    request: Pick<SessionRequest, "text">,
  ): SessionAnswer {
    const { phoneNumber, language, draft } = record;
    // Keys of effects count from the seed: another count needs another seed.
    const renewed = { ...record, seed: parts.newSeed() };
    conversation = openConversation(parts.conversation, {
      caller: { sessionId: sessionName(record), phoneNumber },
      seed: renewed.seed,
      language,
      draft,
      sms: parts.sms,
      notice: { reason: "menuUpdated" },
    });
    return finish(renewed, conversation, { history, arrivedAt, resync: false }, request);
  }

  return {
    record() {
      const record = keeper.read();
      if (record?.status !== "live") return undefined;
      if (clock() < record.expiresAt) return record;
      expire(record);
      return undefined;
    },
    async open(request, opening, arrivedAt) {
      const { phoneNumber, dialledSuffix } = request;
      const begun = keeper.begin(request, opening);
      const dialled = await dialIn(parts, begun);
      if (dialled === undefined) return { ...UNAVAILABLE, outcome: "failed" };
      const { language, draft, accountsLeft } = dialled;
      drop();
      const opened = openConversation(parts.conversation, {
        caller: { sessionId: sessionName(request), phoneNumber },
        seed: begun.seed,
        language,
        draft,
        sms: parts.sms,
        accountsLeft,
      });
      conversation = opened;
      const isSuffixed = request.text === "" && dialledSuffix !== "" && rules.directDial;
      const input = isSuffixed ? ({ kind: "entry", remainder: dialledSuffix } as const) : opening.input;
      if (input !== undefined) await opened.apply(input, arrivedAt, opened.place.path);
      return finish({ ...begun, draft }, opened, { history: opening.history, arrivedAt, resync: false }, request);
    },
    async proceed(record, meaning, { request, arrivedAt }) {
      const history = meaning.kind === "input" ? meaning.history : record.history;
      const resync = meaning.kind === "input" && meaning.resync;
      conversation ??= record.machine === null ? undefined : restoreConversation(parts.conversation, record.machine);
      if (conversation === undefined) return restart(record, history, arrivedAt, request);
      if (meaning.kind === "input") await conversation.apply(meaning.input, arrivedAt, record.path);
      else await conversation.settle(arrivedAt);
      return finish(record, conversation, { history, arrivedAt, resync }, request);
    },
    shut,
    leave(record) {
      const { screens, limit } = parts.conversation;
      const dictionary = dictionaryOf(record.language);
      drop();
      keeper.end(record, render(goodbyeScreen(dictionary, screens), { dictionary, limit }), "dropped");
    },
    expire,
    masked({ machine }) {
      // One that sleeps is only looked at: its effects do not begin anew.
      const sleeping = { start: false };
      const talk = conversation ?? (machine && restoreConversation(parts.conversation, machine, sleeping));
      return talk?.masked();
    },
    drop,
  };
}
