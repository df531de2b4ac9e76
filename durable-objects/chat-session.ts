/**
 * The Durable Object of one chat session: gives the session's core its storage, clock, timers, alarm and neighbours,
 * and forwards each call. Models, plugins and the oracle's own facts are injected by `workers/index.ts`.
 */
import { DurableObject } from "cloudflare:workers";
import { createLogger, describeThrown } from "../workers/platform/log.ts";
import { BUDGET_OF_ALL } from "../workers/platform/oracle-budgets.ts";
import { objectPorts } from "./socketio/object-ports.ts";
import type { SocketServer } from "./socketio/server.ts";
import type { ActiveRun } from "./chat-session/runs/active-run.ts";
import { createAdmission } from "./chat-session/sockets/authentication.ts";
import { allowsOrigin, createChannelServer, type ChannelSettings } from "./chat-session/sockets/channel-server.ts";
import { createChatChannel } from "./chat-session/sockets/chat-channel.ts";
import { createSessionSockets, type SocketIdentity } from "./chat-session/sockets/session-sockets.ts";
import { createRevocations } from "./chat-session/sockets/revocations.ts";
import { createUserSockets } from "./chat-session/sockets/user-sockets.ts";
import { createSharedAlarm } from "./shared-alarm.ts";
import { buildAgent, type OracleSettings } from "./chat-session/agent/agent.ts";
import type { ChatSessionRpc, PageRequest, RunRequest } from "./chat-session/rpc.ts";
import type { SessionRecord } from "../protocol/records.ts";
import { createChatSession } from "./chat-session/session.ts";
import type { SessionFacts } from "./chat-session/session-ports.ts";
import { runAgent } from "./chat-session/agent/run-agent.ts";
import type { SessionTouch, UserStoreRpc } from "./user-store/rpc.ts";

/** When a part of the alarm that failed is tried again, milliseconds. */
const FAILED_PART_RETRY_MS = 60_000;

/** How long a title may take to be found, milliseconds. */
const TITLE_TIME_LIMIT_MS = 15_000;

/** What a session is made of, by its environment. */
export interface ChatSessionDefinition {
  /** Rejects while the oracle's configuration is wrong. */
  readonly settings: (env: Env) => Promise<OracleSettings>;
  readonly channel: (env: Env) => ChannelSettings;
}

/** The binding as we use it: its generated type would follow the calls' JSON types without end. */
interface ChatSessions {
  getByName(name: string): ChatSessionRpc;
}

export function defineChatSession({ settings: settingsOf, channel }: ChatSessionDefinition) {
  return class extends DurableObject<Env> implements ChatSessionRpc {
    readonly #log = createLogger({ surface: "oracle", object: "chat-session" });
    readonly #alarm = createSharedAlarm({
      stored: () => ({
        runs: this.#alone("runs", () => this.#core.nextWatch()),
        sockets: this.#alone("sockets", () => this.#server.nextDue()),
      }),
      set: (at) =>
        this.ctx.waitUntil(at === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(at)),
    });

    readonly #sockets = createSessionSockets(() => this.#server);

    readonly #core = createChatSession({
      storage: this.ctx.storage,
      erase: () => this.#erase(),
      now: Date.now,
      newId: () => crypto.randomUUID(),
      after,
      every: (milliseconds, work) => {
        const timer = setInterval(work, milliseconds);
        return () => clearInterval(timer);
      },
      prepare: () => settingsOf(this.env),
      perform: (active, facts) => this.#perform(active, facts),
      title: async (opening) => {
        const { models } = await settingsOf(this.env);
        return models.title(opening, AbortSignal.timeout(TITLE_TIME_LIMIT_MS));
      },
      touch: ({ owner, sessionId }, change) => this.#touch(owner, sessionId, change),
      sockets: this.#sockets,
      wakeAt: (time) => this.#alarm.wantBy("runs", time),
      background: (work) => this.ctx.waitUntil(work),
      log: this.#log,
    });

    readonly #server = this.#serve();

    readonly #authentications = createRevocations({
      sockets: this.#sockets,
      vault: (did) => this.#vault(did),
      everyMs: channel(this.env).pingIntervalMs,
      now: Date.now,
      background: (work) => this.ctx.waitUntil(work),
      log: this.#log,
    });

    override async alarm(): Promise<void> {
      this.#alarm.rang();
      const runs = this.#alone("runs", () => this.#core.watch());
      const sockets = this.#alone("sockets", () => this.#server.alarm());
      this.#alone("authentications", () => {
        this.#authentications.check();
        return undefined;
      });
      this.#alarm.want("runs", runs);
      this.#alarm.want("sockets", sockets);
      await this.#leaveNoTrace();
    }

    /** `/socket.io/`, as the surface forwards it. */
    override async fetch(request: Request): Promise<Response> {
      const response = await this.#server.handleRequest(request);
      await this.#leaveNoTrace();
      return response;
    }
    override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
      this.#core.wake();
      this.#server.webSocketMessage(socket, message);
    }
    override async webSocketClose(socket: WebSocket): Promise<void> {
      this.#server.webSocketClose(socket);
      await this.#leaveNoTrace();
    }
    override async webSocketError(socket: WebSocket): Promise<void> {
      this.#server.webSocketError(socket);
      await this.#leaveNoTrace();
    }

    create(owner: string, record: SessionRecord) {
      return this.#core.create(owner, record);
    }
    describe(caller: string) {
      return this.#core.describe(caller);
    }
    destroy(caller: string) {
      return this.#core.destroy(caller);
    }
    startRun(caller: string, turn: RunRequest, messageLimit?: number) {
      return this.#core.startRun(caller, turn, messageLimit);
    }
    completeRun(caller: string, turn: RunRequest, messageLimit?: number) {
      return this.#core.completeRun(caller, turn, messageLimit);
    }
    hasMessage(caller: string, clientMessageId: string) {
      return this.#core.hasMessage(caller, clientMessageId);
    }
    acceptRun(caller: string, turn: RunRequest) {
      return this.#core.acceptRun(caller, turn);
    }
    awaitReply(caller: string, requestId: string, withinMs: number) {
      return this.#core.awaitReply(caller, requestId, withinMs);
    }
    followRun(caller: string, runId: string, after: number) {
      return this.#core.followRun(caller, runId, after);
    }
    activeRun(caller: string) {
      return this.#core.activeRun(caller);
    }
    abort(caller: string) {
      return this.#core.abort(caller);
    }
    messagePage(caller: string, page: PageRequest) {
      return this.#core.messagePage(caller, page);
    }

    async dismissSocket(caller: string, socketId: string): Promise<void> {
      this.#sockets.dismiss(caller, socketId);
    }

    async #perform(active: ActiveRun, { owner, ...facts }: SessionFacts): Promise<void> {
      const settings = await settingsOf(this.env);
      if (active.closed) return;
      const vault = this.#vault(owner);
      const agent = buildAgent(active, {
        settings,
        env: this.env,
        owner,
        ...facts,
        publish: this.#sockets.publish,
        readDelegation: () => vault.readDelegation(),
        mayPrompt: () => vault.claimReauthorisationPrompt(settings.promptThrottleSeconds),
        now: Date.now,
        after,
        log: createLogger({ surface: "oracle", object: "chat-session", requestId: active.run.requestId }),
      });
      await runAgent(active, agent);
    }

    #serve(): SocketServer<SocketIdentity> {
      const settings = channel(this.env);
      const application = createChatChannel({
        sockets: this.#sockets,
        userSockets: createUserSockets({
          sockets: this.#sockets,
          vault: (did) => this.#vault(did),
          session: (sessionId) => {
            const sessions: unknown = this.env.CHAT_SESSION;
            return (sessions as ChatSessions).getByName(sessionId);
          },
          background: (work) => this.ctx.waitUntil(work),
          log: this.#log,
        }),
        session: this.#core,
        admit: createAdmission({
          door: async () => (await settingsOf(this.env)).door,
          vault: (did) => this.#vault(did),
        }),
        allowsOrigin: (origin) => allowsOrigin(settings, origin),
        now: Date.now,
        log: this.#log,
      });
      const ports = objectPorts(this.ctx, {
        dueChanged: (at) => this.#alarm.want("sockets", at),
        background: (work) => this.ctx.waitUntil(work.then(() => this.#leaveNoTrace())),
        log: (level, event, members) => this.#log[level](event, members),
      });
      return createChannelServer(application, settings, ports);
    }

    async #erase(): Promise<void> {
      this.#server.closeAll();
      this.#alarm.rang();
      // Both at once: between them nothing may happen.
      await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
    }

    /**
     * An object that no session was made of has something stored only while a refusal is under way: until the last of
     * its connections is closed and has fetched the words that it was closed with.
     */
    async #leaveNoTrace(): Promise<void> {
      if (this.#core.owner() !== undefined) return;
      const due = this.#server.alarm();
      this.#alarm.want("sockets", due);
      if (due === undefined && this.#server.counts().sessions === 0) await this.#erase();
    }

    /** Asks one part of the alarm: whatever is wrong with it, the others go on, and this one is asked again. */
    #alone(part: string, work: () => number | undefined): number | undefined {
      try {
        return work();
      } catch (thrown) {
        this.#log.error("alarm-part-failed", { part, reason: describeThrown(thrown) });
        return Date.now() + FAILED_PART_RETRY_MS;
      }
    }

    /** What turns used counts for their user and, when there is a budget of the whole oracle, there too. */
    async #touch(owner: string, sessionId: string, change: SessionTouch): Promise<void> {
      const { spent = [] } = change;
      if (spent.length > 0 && (await settingsOf(this.env)).hasTokenBudget)
        await this.#vault(BUDGET_OF_ALL).recordUsage(spent);
      await this.#vault(owner).touchSession(sessionId, change);
    }

    #vault(owner: string): UserStoreRpc {
      return this.env.USER_VAULT.get(this.env.USER_VAULT.idFromName(owner));
    }
  };
}

function after(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}
