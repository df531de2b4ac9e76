/**
 * One phone session (contract/ussd.md sections 3, 4 and 10): who may speak to it, what a text means for it, what is
 * stored before a reply leaves, how it ends. It runs anywhere: storage, clock, timers and ports come in. What the menus
 * do is the machines', how it is kept `session-keeper.ts`'s.
 */
import { describeThrown } from "../../workers/platform/log.ts";
import { openConversation, restoreConversation, type Conversation } from "./conversation.ts";
import type { Draft } from "./draft.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS, UNAVAILABLE } from "./endings.ts";
import { dictionaryOf } from "./i18n/languages.ts";
import { dialIn, within } from "./opening.ts";
import { createQueue, OVERRUN } from "./queue.ts";
import type { SessionAnswer, SessionRequest, UssdSessionRpc } from "./rpc.ts";
import { render } from "./screens/render.ts";
import { goodbyeScreen } from "./screens/welcome.ts";
import { isOver, nextAlarm, sameBinding, type SessionRecord, type StoredReply } from "./session-record.ts";
import { createSessionKeeper } from "./session-keeper.ts";
import type { SessionParts } from "./session-parts.ts";
import {
  openingText,
  readText,
  textAfterEnd,
  type TextHistory,
  type TextMeaning,
  type TextRules,
} from "./text-meaning.ts";

export interface UssdSessionCore extends UssdSessionRpc {
  /** The alarm rang. Answers when it has to ring next, Unix milliseconds. */
  ring(): Promise<number | undefined>;
}

export function createUssdSession(parts: SessionParts): UssdSessionCore {
  const { accounts, clock, rules } = parts;
  const queue = createQueue(parts.after);
  const keeper = createSessionKeeper(parts);
  /** Of the live session, as long as this life of the object has seen it. */
  let conversation: Conversation | undefined;

  /** The live session at this moment; one whose time is over expires here, however late the alarm. */
  function liveRecord(): SessionRecord | undefined {
    const record = keeper.read();
    if (record?.status !== "live") return undefined;
    if (clock() < record.expiresAt) return record;
    drop();
    keeper.expire(record);
    return undefined;
  }

  function drop(): void {
    conversation?.stop();
    conversation = undefined;
  }

  function textRules(request: SessionRequest, keyId: string): TextRules {
    return {
      mode: request.mode ?? rules.textMode,
      replayWindowMs: rules.replayWindowMs,
      directDial: rules.directDial,
      digest: (text) => parts.digests.digest(text, keyId),
    };
  }

  async function answerTo(request: SessionRequest, arrivedAt: number): Promise<SessionAnswer> {
    const live = liveRecord();
    const text = { text: request.text, serviceCode: request.serviceCode, arrivedAt };
    if (live !== undefined) {
      if (!sameBinding(live, request)) {
        const { sessionId, phoneNumber } = request;
        parts.background(accounts.reportBindRefusal({ sessionId, phoneNumber }));
        return { ...INVALID_INPUT, outcome: "refused" };
      }
      const meaning = await readText(text, live.history, textRules(request, live.digestKey));
      if (meaning.kind === "replay") return replayed(live);
      if (await isBraked(request)) return shut(live, TOO_MANY_REQUESTS, "braked");
      return proceed(live, meaning, arrivedAt);
    }
    const known = keeper.read();
    const isRemembered =
      known?.status === "ended" && sameBinding(known, request) && clock() < known.expiresAt ? known : undefined;
    const digestKey = isRemembered?.digestKey ?? parts.digests.keyId;
    const theRules = textRules(request, digestKey);
    const meaning = isRemembered
      ? await textAfterEnd(text, isRemembered.history, theRules)
      : await openingText(text, theRules);
    if (meaning.kind === "replay" && isRemembered) return replayed(isRemembered);
    if (meaning.kind !== "open") throw new Error(`no session to ${meaning.kind}`);
    if (await isBraked(request)) return { ...TOO_MANY_REQUESTS, outcome: "braked" };
    return open(request, { ...meaning, digestKey }, arrivedAt);
  }

  async function isBraked({ phoneNumber }: SessionRequest): Promise<boolean> {
    return parts.brake !== undefined && !(await parts.brake(phoneNumber));
  }

  function replayed({ reply, state }: SessionRecord): SessionAnswer {
    return { ...reply, outcome: "replayed", state };
  }

  async function open(
    request: SessionRequest,
    meaning: Extract<TextMeaning, { kind: "open" }> & { readonly digestKey: string },
    arrivedAt: number,
  ): Promise<SessionAnswer> {
    const { sessionId, phoneNumber, dialledSuffix } = request;
    const opening = keeper.begin(request, meaning);
    const dialled = await dialIn(parts, opening);
    if (dialled === undefined) return { ...UNAVAILABLE, outcome: "failed" };
    const { language, draft } = dialled;
    drop();
    const opened = openConversation(parts.conversation, {
      caller: { sessionId, phoneNumber },
      seed: opening.seed,
      language,
      draft,
      sms: parts.sms,
    });
    conversation = opened;
    const isSuffixed = request.text === "" && dialledSuffix !== "" && rules.directDial;
    const input = isSuffixed ? ({ kind: "entry", remainder: dialledSuffix } as const) : meaning.input;
    if (input !== undefined) await opened.apply(input, arrivedAt, opened.place.path);
    return finish({ ...opening, draft }, opened, { history: meaning.history, arrivedAt, resync: false });
  }

  /** A text that is no replay, for a live session. */
  async function proceed(record: SessionRecord, meaning: TextMeaning, arrivedAt: number): Promise<SessionAnswer> {
    const history = meaning.kind === "input" ? meaning.history : record.history;
    const resync = meaning.kind === "input" && meaning.resync;
    conversation ??= record.machine === null ? undefined : restoreConversation(parts.conversation, record.machine);
    if (conversation === undefined) return restart(record, history, arrivedAt);
    if (meaning.kind === "input") await conversation.apply(meaning.input, arrivedAt, record.path);
    else await conversation.settle(arrivedAt);
    return finish(record, conversation, { history, arrivedAt, resync });
  }

  /** What was stored is of other menus: the login goes, the draft stays, the input is not applied. */
  function restart(record: SessionRecord, history: TextHistory, arrivedAt: number): SessionAnswer {
    const { sessionId, phoneNumber, language, draft } = record;
    // Keys of effects count from the seed: another count needs another seed.
    const renewed = { ...record, seed: parts.newSeed() };
    conversation = openConversation(parts.conversation, {
      caller: { sessionId, phoneNumber },
      seed: renewed.seed,
      language,
      draft,
      sms: parts.sms,
      notice: { reason: "menuUpdated" },
    });
    return finish(renewed, conversation, { history, arrivedAt, resync: false });
  }

  /** Shows where the machine has come to and stores it; after this the reply may leave. */
  function finish(
    record: SessionRecord,
    talk: Conversation,
    step: { readonly history: TextHistory; readonly arrivedAt: number; readonly resync: boolean },
  ): SessionAnswer {
    if (talk.status === "failed") return shut({ ...record, history: step.history }, UNAVAILABLE, "failed");
    const kept = keeper.advance(record, talk, step);
    if (kept.status !== "live") drop();
    return { ...kept.reply, outcome: "answered", state: kept.state, screen: kept.screen };
  }

  /** Closes the session with these last words; what can be gone on with is kept. */
  function shut(record: SessionRecord, reply: StoredReply, outcome: "failed" | "braked" | "overrun"): SessionAnswer {
    drop();
    keeper.end(record, { reply, ending: "error", keepsDraft: true });
    return { ...reply, outcome, state: record.state };
  }

  async function handle(request: SessionRequest): Promise<SessionAnswer> {
    const arrivedAt = clock();
    const answer = await queue.run(async () => {
      try {
        return await answerTo(request, arrivedAt);
      } catch (thrown) {
        parts.log.error("session-failed", { reason: describeThrown(thrown) });
        return giveUp();
      }
    });
    if (answer !== OVERRUN) {
      const record = keeper.read();
      const isFirstOrLast = record !== undefined && (record.revision === 1 || isOver(record));
      if (isFirstOrLast) await within(parts, INDEX_WAIT_MS, keeper.indexed());
      return answer;
    }
    parts.background(queue.run(async () => void giveUp(request)));
    return { ...UNAVAILABLE, outcome: "overrun" };
  }

  /** The reply is the spec's END whatever else fails; a request that is not bound here closes nothing. */
  function giveUp(request?: SessionRequest): SessionAnswer {
    try {
      const live = liveRecord();
      if (live !== undefined && (request === undefined || sameBinding(live, request)))
        shut(live, UNAVAILABLE, "failed");
    } catch (thrown) {
      drop();
      parts.log.error("session-unclosed", { reason: describeThrown(thrown) });
    }
    return { ...UNAVAILABLE, outcome: "failed" };
  }

  /** Serial with the requests; nothing when its turn did not come in time. */
  async function inTurn<Value>(work: () => Value): Promise<Value | undefined> {
    const value = await queue.run(async () => work());
    return value === OVERRUN ? undefined : value;
  }

  return {
    handle,
    close: (binding) =>
      inTurn(() => {
        const live = liveRecord();
        if (live === undefined || !sameBinding(live, binding)) return;
        drop();
        keeper.end(live, { reply: INVALID_INPUT, ending: "error", keepsDraft: true });
      }),
    hangUp: ({ provider, phoneNumber }) =>
      inTurn(() => {
        const live = liveRecord();
        if (live === undefined) return;
        // Who names no phone is believed of the sessions that came by it.
        const isIts = phoneNumber === undefined ? live.provider === provider : live.phoneNumber === phoneNumber;
        if (!isIts) return;
        drop();
        keeper.expire(live);
      }),
    describe: async (masked) => {
      const record = keeper.read();
      if (record?.status !== "live" || clock() >= record.expiresAt) return null;
      const { sessionId, phoneNumber, serviceCode, state, path, authenticated, startedAt, machine, reply } = record;
      const sleeping = { start: false };
      const talk =
        conversation ?? (machine && masked ? restoreConversation(parts.conversation, machine, sleeping) : undefined);
      return {
        sessionId,
        phoneNumber,
        serviceCode,
        state,
        path,
        isAuthenticated: authenticated,
        sessionStartTime: new Date(startedAt).toISOString(),
        message: masked ? (talk?.masked() ?? "***") : reply.body,
      };
    },
    takeDraft: async ({ phoneNumber, serviceCode, claim }) => {
      const taken = await inTurn((): Draft | null => {
        const live = liveRecord();
        const record = live ?? keeper.read();
        if (record === undefined || !sameBinding(record, { ...record, phoneNumber, serviceCode })) return null;
        const draft = keeper.claim(record, claim);
        if (draft === null || live === undefined) return draft;
        const dictionary = dictionaryOf(live.language);
        const goodbye = render(goodbyeScreen(dictionary, parts.conversation.screens), {
          dictionary,
          limit: parts.conversation.limit,
        });
        drop();
        keeper.end(keeper.read() ?? live, { reply: goodbye, ending: "dropped", keepsDraft: true });
        return draft;
      });
      return taken ?? null;
    },
    ring: async () => {
      const next = await queue.run(async () => {
        liveRecord();
        const record = keeper.read();
        if (record === undefined) return undefined;
        const due = nextAlarm(record);
        if (clock() < due) return keeper.retryIndex(record) ?? due;
        if (!isOver(record) && record.status !== "opening") return due;
        await keeper.erase();
        return undefined;
      });
      return next === OVERRUN ? clock() + QUEUE_RETRY_MS : next;
    },
  };
}

/** Milliseconds that a first or last reply waits for the index, so that operators see at once who is there. */
const INDEX_WAIT_MS = 500;
/** Milliseconds until an alarm that did not get its turn rings again. */
const QUEUE_RETRY_MS = 5_000;
