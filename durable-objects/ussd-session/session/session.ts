/**
 * One phone session: serialises its calls, checks who can use it, and interprets texts. It is platform-independent:
 * storage, clock, timers and ports are parameters. steps.ts handles a live session.
 */
import { describeThrown } from "../../../platform/log.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS, UNAVAILABLE } from "../../../platform/phone-reply.ts";
import { sessionName } from "../../../platform/object-names.ts";
import {
  openingText,
  readLongText,
  readText,
  textAfterEnd,
  type EqualText,
  type TextRequest,
  type TextRules,
} from "../input/text-meaning.ts";
import type { Draft, ForgottenCaller, SessionAnswer, SessionRequest, UssdSessionRpc } from "../rpc.ts";
import { createQueue, OVERRUN, within } from "./queue.ts";
import { isOver, nextAlarm, sameBinding, type SessionRecord } from "./record.ts";
import { createLiveSession, type SessionDependencies } from "./steps.ts";
import { createSessionStore } from "./store.ts";

export interface UssdSessionCore extends UssdSessionRpc {
  /** Handles the alarm. Returns when it must run next, in Unix milliseconds. */
  ring(): Promise<number | undefined>;
}

/** The screen with the new Customer ID, which the caller sees nowhere else. */
const SHOWN_ONCE = "K";
/** Screens that ask for the last typed PIN a second time. */
const CONFIRMING: ReadonlySet<string> = new Set(["C", "PC"]);
/** Milliseconds that a first or last reply waits for the index, so that operators see it at once. */
const INDEX_WAIT_MS = 500;
/** Milliseconds before an alarm that did not get its turn runs again. */
const QUEUE_RETRY_MS = 5_000;

export function createUssdSession(dependencies: SessionDependencies): UssdSessionCore {
  const { accounts, background, clock, digests, log, rules, withinRate, storage, erase, wake } = dependencies;
  const queue = createQueue(dependencies.after);
  const store = createSessionStore({ storage, accounts, erase, clock, wake, background, inTurn });
  const live = createLiveSession(dependencies, store);

  /** Serialised with the requests; undefined if it waited too long. */
  async function inTurn<Value>(work: () => Value): Promise<Value | undefined> {
    const value = await queue.run(async () => work());
    return value === OVERRUN ? undefined : value;
  }

  function textRules(request: SessionRequest, keyId: string): TextRules {
    return {
      mode: request.mode ?? rules.textMode,
      replayWindowMs: rules.replayWindowMs,
      directDial: rules.directDial,
      digest: (text) => digests.digest(text, keyId),
    };
  }

  async function replyTo(asked: SessionRequest, arrivedAt: number): Promise<SessionAnswer> {
    const request = withCode(asked);
    if (request === undefined) return { ...INVALID_INPUT, outcome: "refused" };
    const record = live.record();
    const text = textOf(request, arrivedAt, record);
    if (record === undefined) return replyWithoutSession(request, text);
    if (!sameBinding(record, request)) {
      const { phoneNumber } = request;
      background(accounts.reportBindRefusal({ sessionId: sessionName(request), phoneNumber }));
      return { ...INVALID_INPUT, outcome: "refused" };
    }
    const meaning = await readText(text, record.history, textRules(request, record.digestKey));
    if (meaning.kind === "replay") return replayed(record);
    if (meaning.kind === "redial") {
      live.expire(record);
      return replyWithoutSession(request, text);
    }
    if (await isRateLimited(request)) return refuseForNow(record);
    return live.step(record, meaning, { request, arrivedAt });
  }

  function refuseForNow(record: SessionRecord): SessionAnswer {
    live.end(record, TOO_MANY_REQUESTS);
    return { ...TOO_MANY_REQUESTS, outcome: "rate_limited", state: record.state };
  }

  /** Only the text of the request is invalid: it exceeds the maximum length. */
  async function replyToLongText(request: SessionRequest, arrivedAt: number): Promise<SessionAnswer> {
    const record = live.record();
    const refused: SessionAnswer = { ...INVALID_INPUT, outcome: "refused" };
    if (record === undefined || !sameBinding(record, request)) return refused;
    const text = textOf(request, arrivedAt, record);
    const meaning = await readLongText(text, record.history, textRules(request, record.digestKey));
    if (meaning?.kind === "replay") return replayed(record);
    if (meaning?.kind !== "input" || !live.asksAgain(record, meaning)) {
      live.end(record, INVALID_INPUT);
      return refused;
    }
    if (await isRateLimited(request)) return refuseForNow(record);
    return live.step(record, meaning, { request, arrivedAt });
  }

  function textOf(request: SessionRequest, arrivedAt: number, record: SessionRecord | undefined): TextRequest {
    const { text, serviceCode, requestId, raw, isInput, isStart } = request;
    const equalText = record && equalTextAfter(record, text);
    const known = { text, serviceCode, arrivedAt, requestId, raw, isInput, isStart };
    return equalText === undefined ? known : { ...known, equalText };
  }

  /** The session's code if the gateway names none; undefined without a session. */
  function withCode(request: SessionRequest): SessionRequest | undefined {
    if (request.codeUnknown === undefined) return request;
    const known = store.read();
    return known && { ...request, serviceCode: known.serviceCode };
  }

  /** No session is live: opens a new one, or repeats the END of the previous one. */
  async function replyWithoutSession(request: SessionRequest, text: TextRequest): Promise<SessionAnswer> {
    const known = store.read();
    const isOwn = known !== undefined && isOver(known) && sameBinding(known, request);
    // The caller has dialled again and continues there, so anything this call still sends is late.
    const isLate = request.text !== "" && request.isStart === undefined;
    if (isOwn && known.claimedBy !== null && isLate) return replayed(known);
    const isRemembered = isOwn && known.status === "ended" && clock() < known.expiresAt;
    const ended = isRemembered ? known : undefined;
    const digestKey = ended?.digestKey ?? digests.keyId;
    const theRules = textRules(request, digestKey);
    const meaning =
      ended === undefined ? await openingText(text, theRules) : await textAfterEnd(text, ended.history, theRules);
    if (meaning.kind === "replay" && ended !== undefined) return replayed(ended);
    if (meaning.kind !== "open") throw new Error(`no session to ${meaning.kind}`);
    if (await isRateLimited(request)) return { ...TOO_MANY_REQUESTS, outcome: "rate_limited" };
    return live.dial(request, { ...meaning, digestKey }, text.arrivedAt);
  }

  async function isRateLimited({ phoneNumber }: SessionRequest): Promise<boolean> {
    return withinRate !== undefined && !(await withinRate(phoneNumber));
  }

  function replayed({ reply, state }: SessionRecord): SessionAnswer {
    return { ...reply, outcome: "replayed", state };
  }

  /** The reply is an END even if everything else fails; a request with another binding closes nothing. */
  function giveUp(request?: SessionRequest): SessionAnswer {
    try {
      const record = live.record();
      if (record !== undefined && (request === undefined || sameBinding(record, request))) {
        live.end(record, UNAVAILABLE);
      }
    } catch (thrown) {
      live.drop();
      log.error("session-end-not-stored", { reason: describeThrown(thrown) });
    }
    return { ...UNAVAILABLE, outcome: "failed" };
  }

  async function serve(request: SessionRequest, reply: typeof replyTo): Promise<SessionAnswer> {
    const arrivedAt = clock();
    const answer = await queue.run(async () => {
      try {
        return await reply(request, arrivedAt);
      } catch (thrown) {
        log.error("session-failed", { reason: describeThrown(thrown) });
        return giveUp();
      }
    });
    if (answer === OVERRUN) {
      background(queue.run(async () => void giveUp(request)));
      return { ...UNAVAILABLE, outcome: "overrun" };
    }
    const record = store.read();
    const isFirstOrLast = record !== undefined && (record.revision === 1 || isOver(record));
    if (isFirstOrLast) await within(dependencies.after, INDEX_WAIT_MS, store.indexed());
    return answer;
  }

  return {
    handle: (request) => serve(request, replyTo),
    close: (binding) =>
      inTurn(() => {
        const record = live.record();
        if (record !== undefined && sameBinding(record, binding)) live.end(record, INVALID_INPUT);
      }),
    handleLongText: (request) => serve(request, replyToLongText),
    hangUp: ({ provider, phoneNumber }) =>
      inTurn(() => {
        const record = live.record();
        if (record === undefined) return;
        // A gateway that names no phone ends only sessions that it opened.
        const isIts = phoneNumber === undefined ? record.provider === provider : record.phoneNumber === phoneNumber;
        if (isIts) live.expire(record);
      }),
    describe: async (isMasked) => {
      // Out of turn and without side effects: it does not even expire a session.
      const record = store.read();
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
    claimDraft: async ({ phoneNumber, serviceCode, claim, outcome }) => {
      const claimed = await inTurn((): Draft | null => {
        const record = live.record() ?? store.read();
        if (record === undefined || !sameBinding(record, { ...record, phoneNumber, serviceCode })) return null;
        return live.claim(record, { claim, ...(outcome === undefined ? {} : { outcome }) });
      });
      return claimed ?? null;
    },
    forget: async (caller) => {
      const outcome = await queue.run(async () => {
        const record = store.read();
        if (record === undefined) return "forgotten";
        if (!isOf(record, caller)) return "other";
        live.drop();
        // Before the erasure, so that no late write puts the call back into the index.
        await store.indexed();
        await store.erase();
        return "forgotten";
      });
      return outcome === OVERRUN ? "busy" : outcome;
    },
    ring: async () => {
      const next = await queue.run(async () => {
        live.record();
        const record = store.read();
        if (record === undefined) return undefined;
        const due = nextAlarm(record);
        if (clock() < due) return store.retryIndex(record) ?? due;
        if (!isOver(record) && record.status !== "opening") return due;
        await store.erase();
        return undefined;
      });
      return next === OVERRUN ? clock() + QUEUE_RETRY_MS : next;
    },
  };
}

/** The Customer ID is in the state of the menus after a login, and in drafts. */
function isOf(record: SessionRecord, { phoneNumbers, customerId }: ForgottenCaller): boolean {
  if (phoneNumbers.includes(record.phoneNumber)) return true;
  return customerId !== undefined && JSON.stringify(record).includes(`"${customerId}"`);
}

/** The meaning of the text that led to the screen, if that text arrives again. */
function equalTextAfter({ screen, reply }: SessionRecord, text: string): EqualText | undefined {
  if (screen === SHOWN_ONCE) return "repeats";
  if (CONFIRMING.has(screen)) return "confirms";
  return /^\d{1,2}$/.test(text) && reply.body.split("\n").some((line) => line.startsWith(`${text}. `))
    ? "offered"
    : undefined;
}
