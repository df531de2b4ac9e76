/**
 * One phone session (contract/ussd.md sections 3, 4 and 10): one call after the other, who may speak to it, what a text
 * means for it. It runs anywhere: storage, clock, timers and ports come in. What a session does while it lives is
 * live-session.ts's.
 */
import { describeThrown } from "../../workers/platform/log.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS, UNAVAILABLE } from "../../workers/platform/phone-reply.ts";
import type { Draft } from "./draft.ts";
import { openingText, readText, textAfterEnd, type TextRequest, type TextRules } from "./input/text-meaning.ts";
import { createLiveSession } from "./live-session.ts";
import { within } from "./opening.ts";
import { createQueue, OVERRUN } from "./queue.ts";
import { sessionName } from "../../workers/platform/phone-session-name.ts";
import type { SessionAnswer, SessionRequest, UssdSessionRpc } from "./rpc.ts";
import type { ScreenId } from "./screens/screen.ts";
import { createSessionKeeper } from "./session-keeper.ts";
import type { SessionParts } from "./session-parts.ts";
import { isOver, nextAlarm, sameBinding, type SessionRecord } from "./session-record.ts";

export interface UssdSessionCore extends UssdSessionRpc {
  /** The alarm rang. Answers when it has to ring next, Unix milliseconds. */
  ring(): Promise<number | undefined>;
}

export function createUssdSession(parts: SessionParts): UssdSessionCore {
  const { accounts, clock, rules } = parts;
  const queue = createQueue(parts.after);
  const keeper = createSessionKeeper(parts, inTurn);
  const live = createLiveSession(parts, keeper);

  function textRules(request: SessionRequest, keyId: string): TextRules {
    return {
      mode: request.mode ?? rules.textMode,
      replayWindowMs: rules.replayWindowMs,
      directDial: rules.directDial,
      digest: (text) => parts.digests.digest(text, keyId),
    };
  }

  async function answerTo(asked: SessionRequest, arrivedAt: number): Promise<SessionAnswer> {
    const request = withCode(asked);
    if (request === undefined) return { ...INVALID_INPUT, outcome: "refused" };
    const { serviceCode, requestId, raw } = request;
    const record = live.record();
    const shownOnce = record !== undefined && SHOWN_ONCE.has(record.screen);
    const text = { text: request.text, serviceCode, arrivedAt, requestId, raw, shownOnce };
    if (record === undefined) return answerToNone(request, text);
    if (!sameBinding(record, request)) {
      const { phoneNumber } = request;
      parts.background(accounts.reportBindRefusal({ sessionId: sessionName(request), phoneNumber }));
      return { ...INVALID_INPUT, outcome: "refused" };
    }
    const meaning = await readText(text, record.history, textRules(request, record.digestKey));
    if (meaning.kind === "replay") return replayed(record);
    if (await isBraked(request)) {
      live.shut(record, TOO_MANY_REQUESTS);
      return { ...TOO_MANY_REQUESTS, outcome: "braked", state: record.state };
    }
    return live.proceed(record, meaning, { request, arrivedAt });
  }

  /** The session's code where the gateway names none; undefined without a session. */
  function withCode(request: SessionRequest): SessionRequest | undefined {
    if (request.codeUnknown === undefined) return request;
    const known = keeper.read();
    return known && { ...request, serviceCode: known.serviceCode };
  }

  /** No session is live: a new one, or the END of the one before it once more. */
  async function answerToNone(request: SessionRequest, text: TextRequest): Promise<SessionAnswer> {
    const known = keeper.read();
    const isOwn = known !== undefined && isOver(known) && sameBinding(known, request);
    // The caller has dialled again and continues there: whatever this call still sends is late.
    if (isOwn && known.claimedBy !== null && request.text !== "") return replayed(known);
    const isRemembered = isOwn && known.status === "ended" && clock() < known.expiresAt;
    const ended = isRemembered ? known : undefined;
    const digestKey = ended?.digestKey ?? parts.digests.keyId;
    const theRules = textRules(request, digestKey);
    const meaning =
      ended === undefined ? await openingText(text, theRules) : await textAfterEnd(text, ended.history, theRules);
    if (meaning.kind === "replay" && ended !== undefined) return replayed(ended);
    if (meaning.kind !== "open") throw new Error(`no session to ${meaning.kind}`);
    if (await isBraked(request)) return { ...TOO_MANY_REQUESTS, outcome: "braked" };
    return live.open(request, { ...meaning, digestKey }, text.arrivedAt);
  }

  async function isBraked({ phoneNumber }: SessionRequest): Promise<boolean> {
    return parts.brake !== undefined && !(await parts.brake(phoneNumber));
  }

  function replayed({ reply, state }: SessionRecord): SessionAnswer {
    return { ...reply, outcome: "replayed", state };
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
      const record = live.record();
      if (record !== undefined && (request === undefined || sameBinding(record, request))) {
        live.shut(record, UNAVAILABLE);
      }
    } catch (thrown) {
      live.drop();
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
        const record = live.record();
        if (record !== undefined && sameBinding(record, binding)) live.shut(record, INVALID_INPUT);
      }),
    hangUp: ({ provider, phoneNumber }) =>
      inTurn(() => {
        const record = live.record();
        if (record === undefined) return;
        // Who names no phone is believed of the sessions that came by it.
        const isIts = phoneNumber === undefined ? record.provider === provider : record.phoneNumber === phoneNumber;
        if (isIts) live.expire(record);
      }),
    describe: async (isMasked) => {
      // Out of turn and without a trace: not even what is over expires by it.
      const record = keeper.read();
      if (record?.status !== "live" || clock() >= record.expiresAt) return null;
      const { sessionId, phoneNumber, serviceCode, state, path, authenticated, startedAt, reply } = record;
      return {
        sessionId,
        phoneNumber,
        serviceCode,
        state,
        path,
        isAuthenticated: authenticated,
        sessionStartTime: new Date(startedAt).toISOString(),
        message: isMasked ? (live.masked(record) ?? "***") : reply.body,
      };
    },
    takeDraft: async ({ phoneNumber, serviceCode, claim }) => {
      const taken = await inTurn((): Draft | null => {
        const current = live.record();
        const record = current ?? keeper.read();
        if (record === undefined || !sameBinding(record, { ...record, phoneNumber, serviceCode })) return null;
        const draft = keeper.claim(record, claim);
        if (draft !== null && current !== undefined) live.leave(keeper.read() ?? current);
        return draft;
      });
      return taken ?? null;
    },
    ring: async () => {
      const next = await queue.run(async () => {
        live.record();
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

/** Screens with what the caller sees nowhere else: the new Customer ID. */
const SHOWN_ONCE: ReadonlySet<string> = new Set(["K"] satisfies ScreenId[]);
/** Milliseconds that a first or last reply waits for the index, so that operators see at once who is there. */
const INDEX_WAIT_MS = 500;
/** Milliseconds until an alarm that did not get its turn rings again. */
const QUEUE_RETRY_MS = 5_000;
