/**
 * The oracle's objects as small in-memory implementations of their RPC interfaces, for tests of the edge alone: what
 * is asked, by whom, in which order. How the real ones behave is tested inside workerd.
 */
import type {
  ChatSessionRpc,
  MessagePage,
  PageRequest,
  SessionRecord,
  TurnReply,
  TurnRequest,
} from "../../durable-objects/chat-session/rpc.ts";
import type { Admission, StoredDelegation, UserVaultRpc } from "../../durable-objects/user-vault/rpc.ts";
import type { OracleAppOptions } from "../../workers/oracle/create-oracle-app.ts";
import { fault } from "../../workers/platform/errors.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";
import { createEdge } from "./oracle-edge.ts";

export interface InMemoryObjects {
  /** The bindings that an environment needs. */
  readonly bindings: object;
  /** Every call of an object, such as `session.create` and `vault.putSession`, in order. */
  readonly calls: string[];
  readonly turns: TurnRequest[];
  /** The pages of transcripts and of session lists that were asked for. */
  readonly pages: (PageRequest | { readonly limit: number; readonly offset: number })[];
  /** Behind which frame a run was joined. */
  readonly follows: number[];
  /** What was handed on to a session's sockets, and the name of the object that got it. */
  readonly connections: { readonly object: string; readonly request: Request }[];
  /** What a turn that is waited for answers. */
  reply: Result<Omit<TurnReply, "runId">>;
  /** Thrown by every session call when set: what a broken or busy object looks like. */
  breakage: Error | undefined;
  /** Streams that were handed out and neither read to their end nor cancelled. */
  openStreams: number;
}

/** The oracle's edge over such objects. */
export async function edgeOverMemory(env: object = {}, options?: Partial<OracleAppOptions>) {
  const objects = createInMemoryObjects();
  return { objects, edge: await createEdge({ ...objects.bindings, ...env }, options) };
}

const frames = "event: run\nid: 1\ndata: {}\n\n";
const emptyPage: MessagePage = { messages: [], prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false };

function createInMemoryObjects(): InMemoryObjects {
  const sessions = new Map<string, { owner: string; record: SessionRecord }>();
  const index = new Map<string, Map<string, SessionRecord>>();
  const delegations = new Map<string, StoredDelegation>();
  const counts = new Map<string, number>();
  const objects: InMemoryObjects = {
    calls: [],
    turns: [],
    pages: [],
    follows: [],
    connections: [],
    reply: success({ status: "finished", content: "Hello", messageId: "m-1" }),
    breakage: undefined,
    openStreams: 0,
    bindings: {
      CHAT_SESSION: { getByName: (name: string) => chatSession(name) },
      USER_VAULT: { getByName: (name: string) => userVault(name) },
      DATABASE: { prepare: () => ({ bind: () => ({ first: async () => null }), first: async () => ({ 1: 1 }) }) },
    },
  };
  return objects;

  function stream(): ReadableStream<Uint8Array> {
    objects.openStreams += 1;
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(frames));
          controller.close();
          objects.openStreams -= 1;
        },
        cancel() {
          objects.openStreams -= 1;
        },
      },
      { highWaterMark: 0 },
    );
  }

  function chatSession(id: string): ChatSessionRpc & { fetch(request: Request): Promise<Response> } {
    const own = async <Value>(call: string, caller: string, answer: () => Value): Promise<Result<Value>> => {
      objects.calls.push(`session.${call}`);
      if (objects.breakage !== undefined) throw objects.breakage;
      return sessions.get(id)?.owner === caller
        ? success(answer())
        : failure(fault("not_found", call === "followRun" ? "Run not found" : "Session not found"));
    };
    const runId = `${id}.00000000-0000-4000-8000-000000000000`;
    return {
      async fetch(request) {
        objects.connections.push({ object: id, request });
        return new Response("0{}", { headers: { "Access-Control-Allow-Origin": "of the object" } });
      },
      async create(owner, record) {
        objects.calls.push("session.create");
        sessions.set(id, { owner, record });
        return record;
      },
      describe: async (caller) => {
        const known = await own("describe", caller, () => sessions.get(id)?.record);
        return known as Result<SessionRecord>;
      },
      destroy: (caller) =>
        own("destroy", caller, () => {
          sessions.delete(id);
          return null;
        }),
      startTurn: (caller, turn) =>
        own("startTurn", caller, () => {
          objects.turns.push(turn);
          return { runId, requestId: turn.requestId, frames: stream() };
        }),
      async completeTurn(caller, turn) {
        const allowed = await own("completeTurn", caller, () => objects.turns.push(turn));
        if (!allowed.ok) return allowed;
        return objects.reply.ok ? success({ runId, ...objects.reply.value }) : objects.reply;
      },
      ensureTurn: (caller, turn) =>
        own("ensureTurn", caller, () => {
          if (!objects.turns.some(({ requestId }) => requestId === turn.requestId)) objects.turns.push(turn);
          return { runId };
        }),
      async awaitReply(caller, requestId) {
        const allowed = await own("awaitReply", caller, () =>
          objects.turns.some((turn) => turn.requestId === requestId),
        );
        if (!allowed.ok || !allowed.value) return failure(fault("not_found", "Turn not found"));
        return objects.reply.ok ? success({ runId, ...objects.reply.value }) : objects.reply;
      },
      followRun: (caller, _runId, after) =>
        own("followRun", caller, () => {
          objects.follows.push(after);
          return { requestId: "turn-1", frames: stream() };
        }),
      activeRun: (caller) => own("activeRun", caller, () => null),
      abort: (caller) => own("abort", caller, () => false),
      messagePage: (caller, page) =>
        own("messagePage", caller, () => {
          objects.pages.push(page);
          return emptyPage;
        }),
      dismissSocket: async () => undefined,
    };
  }

  function userVault(did: string): UserVaultRpc {
    const listed = index.get(did) ?? new Map<string, SessionRecord>();
    index.set(did, listed);
    const count = (call: string, limit: number): Admission => {
      objects.calls.push(`vault.${call}`);
      const used = counts.get(did) ?? 0;
      const admitted = used < limit;
      if (admitted) counts.set(did, used + 1);
      return { admitted, limit, remaining: admitted ? limit - used - 1 : 0, retryAfter: admitted ? 0 : 42 };
    };
    const counted = <Value>(call: string, limit: number, value: () => Value) => {
      const admission = count(call, limit);
      return admission.admitted ? { admission, value: value() } : { admission };
    };
    return {
      admit: async (limit) => count("admit", limit),
      admitTurn: async (limit) => counted("admitTurn", limit, () => ({ reserved: true })),
      reserveTurn: async () => ({ reserved: true }),
      async releaseTurn() {
        objects.calls.push("vault.releaseTurn");
      },
      settleTurns: async () => undefined,
      listSessions: async (limit, page) =>
        counted("listSessions", limit, () => {
          objects.pages.push(page);
          return {
            sessions: [...listed.values()].slice(page.offset, page.offset + page.limit),
            total: listed.size,
          };
        }),
      async putSession(record) {
        objects.calls.push("vault.putSession");
        listed.set(record.sessionId, record);
        return true;
      },
      touchSession: async () => undefined,
      async removeSession(sessionId) {
        objects.calls.push("vault.removeSession");
        listed.delete(sessionId);
      },
      listSockets: async () => [],
      async storeDelegation(delegation) {
        objects.calls.push("vault.storeDelegation");
        delegations.set(did, { ...delegation, storedAt: 0 });
      },
      readDelegation: async () => delegations.get(did) ?? null,
      delegationStatus: async (limit) => counted("delegationStatus", limit, () => delegations.get(did) ?? null),
      revokeDelegation: async (limit) =>
        counted("revokeDelegation", limit, () => {
          delegations.delete(did);
          return null;
        }),
      delegationRevokedAt: async () => null,
      claimReauthorisationPrompt: async () => true,
    };
  }
}
