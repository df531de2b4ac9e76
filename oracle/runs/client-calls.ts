/**
 * Calls of browser tools and actions that wait for their client. Each is stored in SQL at once, is sent to one socket at most, and
 * ends once: by its result, its deadline, or the end of its socket. A recovered run therefore finds outcomes that arrived
 * meanwhile. The caller provides the sockets (`CallSockets`) and the alarm (`wakeAt`).
 */
import * as z from "zod";
import { type JsonObject, isJsonObject, readStoredJson } from "../../platform/json.ts";
import type { Logger } from "../../platform/log.ts";
import type { ClientSide } from "../framework/tools.ts";
import { NO_BROWSER, outcomeOf, readOutcome, UNREADABLE, unknownOutcome, type CallOutcome } from "./call-outcomes.ts";

/** Time limit of a client for a call that was sent to it, milliseconds. */
export const RESULT_TIME_LIMIT_MS = 15_000;
/** How long a call waits for a client to connect, milliseconds. */
export const CONNECTION_TIME_LIMIT_MS = 5_000;
/**
 * How long a lost socket may take to reconnect to its calls, milliseconds: enough for the first retries of a client after a brief
 * network failure. A closed tab delays its run by as much.
 */
export const RETURN_TIME_LIMIT_MS = 5_000;

const clientCall = z.object({
  toolCallId: z.string(),
  kind: z.enum(["browser", "action"]),
  sessionId: z.string(),
  name: z.string(),
  args: z.custom<JsonObject>(isJsonObject),
  requestId: z.string(),
  /** The socket of the calling tab, if the request named it. */
  socketId: z.string().exactOptional(),
});

export type ClientCall = Readonly<z.infer<typeof clientCall>>;

/** A result as it arrived, with its call and sender. */
export interface ArrivedResult {
  readonly kind: ClientSide;
  /** The id in the event that requested it. */
  readonly invocationId: string;
  readonly socketId: string;
  readonly outcome: CallOutcome;
}

/** The session's sockets, as far as calls need them. */
export interface CallSockets {
  /** The socket to send to; undefined when none is connected. */
  choose(call: Pick<ClientCall, "kind" | "name" | "socketId">): string | undefined;
  /** Undefined: permanently gone. `lostAt` (Unix milliseconds): its connection is lost, but it may return. */
  presence(socketId: string): { readonly lostAt: number | undefined } | undefined;
  /** Sends the call to this socket; returns whether it could. */
  write(socketId: string, call: ClientCall, invocationId: string): boolean;
}

export interface ClientCallOptions {
  readonly sql: SqlStorage;
  readonly sockets: CallSockets;
  readonly now: () => number;
  readonly newId: () => string;
  /** Requests an alarm at that time, Unix milliseconds, which calls `expire`. */
  readonly wakeAt: (time: number) => void;
  readonly log: Logger;
}

export type ClientCalls = ReturnType<typeof createClientCalls>;

export function createClientCalls({ sql, sockets, now, newId, wakeAt, log }: ClientCallOptions) {
  /** The waiting callers, by the id of the call. */
  const waiting = new Map<string, { readonly run: number; readonly resolve: (outcome: CallOutcome) => void }>();
  let nextWait = Promise.withResolvers<void>();

  /** The waiting calls. A damaged call ends, so that its run continues. */
  function open(): readonly OpenCall[] {
    return sql
      .exec<CallRow>(`SELECT ${COLUMNS} FROM client_calls WHERE outcome IS NULL ORDER BY rowid`)
      .toArray()
      .flatMap(({ tool_call_id: toolCallId, invocation, call: text, socket, deadline }) => {
        const call = readStoredJson(clientCall, text);
        if (call !== undefined) return [{ call, invocationId: invocation ?? toolCallId, socket, deadline }];
        const unknown = unknownOutcome(undefined, invocation ?? toolCallId, "unreadable");
        store(toolCallId, socket === null ? UNREADABLE : unknown);
        log.error("client-call-unreadable", { toolCallId });
        return [];
      });
  }

  function stored(toolCallId: string): CallOutcome | undefined {
    const [row] = sql.exec<CallRow>(`SELECT ${COLUMNS} FROM client_calls WHERE tool_call_id = ?`, toolCallId).toArray();
    return row === undefined || row.outcome === null
      ? undefined
      : readOutcome(row.outcome, row.invocation ?? toolCallId);
  }

  function store(toolCallId: string, outcome: CallOutcome): void {
    sql.exec("UPDATE client_calls SET outcome = ? WHERE tool_call_id = ?", JSON.stringify(outcome), toolCallId);
    waiting.get(toolCallId)?.resolve(outcome);
    waiting.delete(toolCallId);
  }

  function end({ toolCallId, name, requestId }: ClientCall, outcome: CallOutcome, reason: string): void {
    log.info("client-call-ended", { toolCallId, tool: name, requestId, reason });
    store(toolCallId, outcome);
  }

  /** Until when the call may wait, Unix milliseconds: less while its socket is lost, and 0 once it is gone. */
  function endsAt({ socket, deadline }: OpenCall): number {
    if (socket === null) return deadline;
    const presence = sockets.presence(socket);
    if (presence === undefined) return -Infinity;
    return presence.lostAt === undefined ? deadline : Math.min(deadline, presence.lostAt + RETURN_TIME_LIMIT_MS);
  }

  /** The next deadline, Unix milliseconds. */
  function due(): number | undefined {
    const ends = open().map(endsAt);
    return ends.length === 0 ? undefined : Math.max(Math.min(...ends), now());
  }

  /** Tries socket after socket until one takes the call, or keeps waiting. Once sent, the call is never sent again. */
  function write({ call, invocationId }: Pick<OpenCall, "call" | "invocationId">, waitsUntil: number): void {
    for (let tried: string | undefined; ;) {
      const socketId = sockets.choose(call);
      if (socketId === undefined || socketId === tried) return;
      tried = socketId;
      const deadline = now() + RESULT_TIME_LIMIT_MS;
      // Stored before sending: a sent call must be known as sent, whatever happens next.
      sql.exec(
        "UPDATE client_calls SET socket = ?, deadline = ? WHERE tool_call_id = ?",
        socketId,
        deadline,
        call.toolCallId,
      );
      if (sockets.write(socketId, call, invocationId)) {
        wakeAt(deadline);
        return;
      }
      sql.exec(
        "UPDATE client_calls SET socket = NULL, deadline = ? WHERE tool_call_id = ?",
        waitsUntil,
        call.toolCallId,
      );
    }
  }

  /** `staysInMemory`: the waiter cannot be resumed otherwise, so the object must not be evicted. */
  function whenEnded(run: number, toolCallId: string, staysInMemory = false): Promise<CallOutcome> {
    const known = stored(toolCallId);
    if (known !== undefined) return Promise.resolve(known);
    if (!staysInMemory) {
      nextWait.resolve();
      nextWait = Promise.withResolvers<void>();
    }
    return new Promise((resolve) => waiting.set(toolCallId, { run, resolve }));
  }

  function expire(): void {
    for (const waits of open()) {
      const { call, invocationId, socket } = waits;
      if (endsAt(waits) > now()) continue;
      const presence = socket === null ? undefined : sockets.presence(socket);
      const isConnected = presence !== undefined && presence.lostAt === undefined;
      const reason = socket === null ? "no-browser" : isConnected ? "timeout" : "socket-gone";
      end(call, reason === "no-browser" ? NO_BROWSER : unknownOutcome(call, invocationId, reason), reason);
    }
  }

  return {
    /** Sends the call to a client and waits for its outcome; never rejects. */
    make(run: number, call: ClientCall, staysInMemory = false): Promise<CallOutcome> {
      const deadline = now() + CONNECTION_TIME_LIMIT_MS;
      const invocationId = `${call.toolCallId}:${newId()}`;
      sql.exec(
        "INSERT INTO client_calls (tool_call_id, invocation, run, kind, call, deadline) VALUES (?, ?, ?, ?, ?, ?)",
        call.toolCallId,
        invocationId,
        run,
        call.kind,
        JSON.stringify(call),
        deadline,
      );
      wakeAt(deadline);
      write({ call, invocationId }, deadline);
      return whenEnded(run, call.toolCallId, staysInMemory);
    },

    /** The outcome of a call that an earlier process made; undefined if it was never stored. */
    resume(toolCallId: string): Promise<CallOutcome> | undefined {
      const [row] = sql
        .exec<{ run: number }>("SELECT run FROM client_calls WHERE tool_call_id = ?", toolCallId)
        .toArray();
      if (row === undefined) return undefined;
      expire();
      const next = due();
      if (next !== undefined) wakeAt(next);
      return whenEnded(row.run, toolCallId);
    },

    /** A client's result; returns why it is refused, if it is. It counts only from the socket that was asked. */
    finish({ kind, invocationId, socketId, outcome }: ArrivedResult): string | undefined {
      // The alarm may fire after a deadline; a late result must not count.
      expire();
      const [row] = sql
        .exec<CallRow>(
          // Calls of an earlier version have no invocation id and were sent under their own id.
          `SELECT ${COLUMNS} FROM client_calls WHERE COALESCE(invocation, tool_call_id) = ?`,
          invocationId,
        )
        .toArray();
      if (row === undefined) return "unknown call";
      if (row.kind !== kind) return "other kind";
      if (row.socket !== socketId) return row.socket === null ? "not sent" : "other socket";
      if (row.outcome !== null) return "ended before";
      const call = readStoredJson(clientCall, row.call);
      if (call === undefined) return "unreadable call";
      end(call, outcomeOf(call, outcome), "result");
      return undefined;
    },

    /** A client has connected: sends the calls that wait for a socket. */
    socketJoined(): void {
      for (const waits of open()) if (waits.socket === null) write(waits, waits.deadline);
    },
    socketLeft(socketId: string): void {
      const calls = open().filter(({ socket }) => socket === socketId);
      if (calls.length === 0) return;
      if (sockets.presence(socketId) !== undefined) wakeAt(Math.min(...calls.map(endsAt)));
      else
        for (const { call, invocationId } of calls)
          end(call, unknownOutcome(call, invocationId, "socket-gone"), "socket-gone");
    },
    /** The run has ended, and its rows are gone: drops the waits for its calls. */
    runEnded(run: number): void {
      for (const [toolCallId, waits] of waiting) if (waits.run === run) waiting.delete(toolCallId);
    },
    /** Ends calls that have timed out or whose socket is gone. */
    expire,
    /** When the next call times out, Unix milliseconds. */
    due,
    /** How many calls the run has made so far. */
    madeBy: (run: number): number =>
      sql.exec<{ calls: number }>("SELECT COUNT(*) AS calls FROM client_calls WHERE run = ?", run).one().calls,
    /** Resolves the next time that a call begins to wait: from then on, storage and the alarm hold all of the run's state. */
    whenWaiting: (): Promise<void> => nextWait.promise,
  };
}

const COLUMNS = "tool_call_id, invocation, kind, call, socket, deadline, outcome";

type CallRow = {
  tool_call_id: string;
  invocation: string | null;
  kind: string;
  call: string;
  socket: string | null;
  deadline: number;
  outcome: string | null;
};

interface OpenCall {
  readonly call: ClientCall;
  readonly invocationId: string;
  readonly socket: string | null;
  readonly deadline: number;
}
