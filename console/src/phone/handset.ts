/**
 * A handset and its telecom gateway: it dials, sends inputs, repeats, hangs up and drops, shows the replies, and logs each request.
 * Typed text is kept in memory as long as the call needs it; state and log contain no PIN.
 */
import { formatOf, type Reply, type Step } from "../../../shared/gateway-formats.ts";
import {
  initialState,
  type Act,
  type HandsetAnswer,
  type HandsetState,
  type Line,
  type LogEntry,
  type Network,
  type Remark,
  type Trouble,
} from "./handset-state.ts";
import { rememberSecrets, MASK } from "./secret-input.ts";
import { createRecorder, customerIdOn } from "./session-recording.ts";
import type { HandsetServer, ServerAnswer } from "./server.ts";

/** `dropped`: the line was dropped, or the phone is busy. */
export type Outcome =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "failed" | "dropped" };

export interface Handset {
  readonly read: () => HandsetState;
  readonly subscribe: (changed: () => void) => () => void;
  readonly setNetwork: (changed: Partial<Network>) => void;
  /** Starts a new call; an open one is dropped. `text`: the inputs after the code. */
  readonly dial: (line: Line, text: string) => Promise<Outcome>;
  readonly answer: (input: string) => Promise<Outcome>;
  /** Sends the last request once more, as a gateway retries it. */
  readonly repeat: () => Promise<Outcome>;
  /** Hangs up like a caller: sends the provider's notice, if it has one. */
  readonly hangUp: () => Promise<void>;
  /** Loses the network, without informing the server. */
  readonly drop: () => void;
  readonly rejectCode: () => void;
  /** Clears recorded steps and log. */
  readonly forget: () => void;
}

/** Maximum entries of the log. */
const LOG_LENGTH = 200;

interface Request {
  readonly step: Step;
  readonly masked: Step;
  readonly act: "dial" | "input";
  readonly typed: string;
  /** The text with PINs masked. */
  readonly shown: string;
  readonly screen: string;
}

interface Call {
  readonly line: Line;
  readonly request: Request;
  /** The response body, whether or not it reached the phone. */
  answered?: string;
  isRecorded: boolean;
}

export function createHandset(server: HandsetServer): Handset {
  let state = initialState;
  let call: Call | undefined;
  let recorder = createRecorder();
  const secrets = rememberSecrets(() => MASK);
  let entries = 0;
  const listeners = new Set<() => void>();

  function set(changed: Partial<HandsetState>): void {
    state = { ...state, ...changed };
    for (const listener of listeners) listener();
  }

  function write(entry: Omit<LogEntry, "id" | "at">): number {
    entries += 1;
    set({ log: [{ id: entries, at: server.now(), ...entry }, ...state.log].slice(0, LOG_LENGTH) });
    return entries;
  }

  function amend(id: number, changed: Partial<LogEntry>): void {
    set({ log: state.log.map((entry) => (entry.id === id ? { ...entry, ...changed } : entry)) });
  }

  function answerOf({ status, text, milliseconds, requestId, retryAfter }: ServerAnswer): HandsetAnswer {
    return { status, text: secrets.shown(text), milliseconds, requestId, retryAfter };
  }

  function firstLineOf({ kind, body }: Reply): string {
    return secrets.shown(`${kind} ${body.trimStart().split("\n", 1)[0] ?? ""}`);
  }

  /** Whether the call is still open, so that the phone can show the answer. */
  const isOpen = (current: Call): boolean => call === current;

  async function exchange(current: Call, act: Act): Promise<Outcome> {
    const { line, request } = current;
    const format = formatOf(line.format);
    const before = state.phase;
    set({ phase: "waiting", trouble: undefined, canRepeat: true });
    const id = write({ act, typed: request.shown, request: format.request(request.masked), remarks: [] });
    const sent = await server.send(format.request(request.step));
    const { delay, losesNext } = state.network;
    if (sent === undefined) {
      amend(id, { hasFailed: true });
      return isOpen(current) ? fail({ kind: "no-answer" }) : { kind: "dropped" };
    }
    const reply = sent.status === 200 ? format.reply(sent.text, sent.headers) : undefined;
    const remarks: Remark[] = [];
    if (act === "repeat") remarks.push(comparison(current.answered, sent.text));
    if (reply !== undefined) current.answered = sent.text;
    if (losesNext) set({ network: { ...state.network, losesNext: false } });
    if (delay > 0) remarks.push("held");
    if (losesNext) remarks.push("lost");
    amend(id, { answer: answerOf(sent), remarks, ...(reply === undefined ? {} : { screen: firstLineOf(reply) }) });
    await server.wait(delay);
    if (!isOpen(current)) {
      amend(id, { remarks: [...remarks, "unheard"] });
      return { kind: "dropped" };
    }
    if (losesNext) return fail({ kind: "lost" });
    if (sent.status === 429) return busy(sent, before);
    if (reply === undefined) return fail({ kind: "refused", status: sent.status });
    record(current, reply);
    const customerId = customerIdOn(reply.body) ?? state.customerId;
    set({ phase: reply.kind === "CON" ? "live" : "ended", screen: reply, customerId });
    return { kind: "reply", reply };
  }

  function fail(trouble: Trouble): Outcome {
    set({ phase: "unanswered", trouble });
    return { kind: "failed" };
  }

  /** A request above the rate limit has changed nothing. */
  function busy(sent: ServerAnswer, before: HandsetState["phase"]): Outcome {
    const seconds = sent.retryAfter ?? 1;
    set({ phase: before === "idle" ? "unanswered" : before, trouble: { kind: "too-many", seconds } });
    return { kind: "wait", seconds };
  }

  function record(current: Call, reply: Reply): void {
    if (current.isRecorded) return;
    current.isRecorded = true;
    const { act, typed, screen } = current.request;
    const step = {
      kind: act,
      typed: recorder.typed(typed, screen),
      expect: recorder.shown(`${reply.kind} ${reply.body}`),
    };
    set({ steps: [...state.steps, step] });
  }

  function leave(act: "hang-up" | "drop"): Call | undefined {
    const left = call;
    call = undefined;
    if (left !== undefined && state.phase !== "ended" && act === "drop") write({ act, typed: "", remarks: [] });
    set({ phase: "idle", screen: undefined, trouble: undefined, canRepeat: false });
    return left;
  }

  return {
    read: () => state,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    setNetwork: (changed) => set({ network: { ...state.network, ...changed } }),
    dial(line, text) {
      // A second press during a request is not a second call.
      if (state.phase === "waiting") return Promise.resolve({ kind: "dropped" });
      if (call !== undefined) leave("drop");
      const sessionId = server.newSessionId();
      const { phoneNumber, serviceCode } = line;
      const step = { sessionId, phoneNumber, serviceCode, text, isDial: true, sequence: 1 };
      const shown = secrets.typed(text, "");
      const request: Request = { step, masked: { ...step, text: shown }, act: "dial", typed: text, shown, screen: "" };
      call = { line, request, isRecorded: false };
      set({ sessionId, line, screen: undefined });
      return exchange(call, "dial");
    },
    answer(input) {
      // A second press during a request is not a second input.
      if (call === undefined || state.phase !== "live") return Promise.resolve({ kind: "dropped" });
      const { step, masked } = call.request;
      const screen = state.screen?.body ?? "";
      const shown = secrets.typed(input, screen);
      const follow = (before: Step, typed: string): Step => ({
        ...before,
        text: call?.line.mode === "cumulative" && before.text !== "" ? `${before.text}*${typed}` : typed,
        isDial: false,
        sequence: before.sequence + 1,
      });
      const request: Request = {
        step: follow(step, input),
        masked: follow(masked, shown),
        act: "input",
        typed: input,
        shown,
        screen,
      };
      const before = call;
      const current = { line: before.line, request, isRecorded: false };
      call = current;
      return exchange(current, "input").then((outcome) => {
        // Above the rate limit, it counts as never sent: the caller types it again.
        if (outcome.kind === "wait" && isOpen(current)) call = before;
        return outcome;
      });
    },
    repeat() {
      if (call === undefined || state.phase === "waiting") return Promise.resolve({ kind: "dropped" });
      return exchange(call, "repeat");
    },
    async hangUp() {
      const wasLive = state.phase === "live" || state.phase === "unanswered" || state.phase === "waiting";
      const left = leave("hang-up");
      if (left === undefined || !wasLive) return;
      const { hangUp } = formatOf(left.line.format);
      if (hangUp === undefined) {
        write({ act: "hang-up", typed: "", remarks: [] });
        return;
      }
      const id = write({ act: "hang-up", typed: "", request: hangUp(left.request.masked), remarks: [] });
      const sent = await server.send(hangUp(left.request.step));
      amend(id, sent === undefined ? { hasFailed: true } : { answer: answerOf(sent) });
    },
    drop: () => void leave("drop"),
    rejectCode: () => set({ trouble: { kind: "not-a-code" } }),
    forget() {
      recorder = createRecorder();
      set({ steps: [], log: [] });
    },
  };
}

function comparison(before: string | undefined, now: string): Remark {
  if (before === undefined) return "first-answer";
  return before === now ? "same" : "different";
}
