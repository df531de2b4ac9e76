/**
 * The Durable Object of one chat session: gives the session's core its storage, clock, timers, alarm and neighbours,
 * and forwards each call. Models, plugins and the oracle's own facts are injected by `workers/index.ts`.
 */
import { DurableObject } from "cloudflare:workers";
import { createLogger } from "../workers/platform/log.ts";
import type { ActiveRun } from "./chat-session/active-run.ts";
import { buildAgent, type OracleSettings } from "./chat-session/agent.ts";
import type { ChatSessionRpc, PageRequest, SessionRecord, TurnRequest } from "./chat-session/rpc.ts";
import { createChatSession, WATCH_INTERVAL_MS, type SessionFacts } from "./chat-session/session.ts";
import { runTurn } from "./chat-session/turn.ts";
import type { UserVaultRpc } from "./user-vault/rpc.ts";

/** How long a title may take to be found, milliseconds. */
const TITLE_TIME_LIMIT_MS = 15_000;

export function defineChatSession(settingsOf: (env: Env) => Promise<OracleSettings>) {
  return class extends DurableObject<Env> implements ChatSessionRpc {
    readonly #log = createLogger({ surface: "oracle", object: "chat-session" });
    /** When the alarm is known to ring, Unix milliseconds. */
    #alarmAt = 0;

    readonly #core = createChatSession({
      storage: this.ctx.storage,
      erase: async () => {
        this.#alarmAt = 0;
        // Both at once: between them nothing may happen.
        await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
      },
      now: Date.now,
      newId: () => crypto.randomUUID(),
      after: (milliseconds, work) => {
        const timer = setTimeout(work, milliseconds);
        return () => clearTimeout(timer);
      },
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
      touch: ({ owner, sessionId }, change) => this.#vault(owner).touchSession(sessionId, change),
      keepWatch: () => this.#arm(Date.now() + WATCH_INTERVAL_MS),
      background: (work) => this.ctx.waitUntil(work),
      log: this.#log,
    });

    override async alarm(): Promise<void> {
      this.#alarmAt = 0;
      const next = this.#core.watch();
      if (next !== undefined) this.#arm(next);
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
    startTurn(caller: string, turn: TurnRequest) {
      return this.#core.startTurn(caller, turn);
    }
    completeTurn(caller: string, turn: TurnRequest) {
      return this.#core.completeTurn(caller, turn);
    }
    ensureTurn(caller: string, turn: TurnRequest) {
      return this.#core.ensureTurn(caller, turn);
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

    async #perform(active: ActiveRun, { owner, sessionId, transcript }: SessionFacts): Promise<void> {
      const settings = await settingsOf(this.env);
      if (active.closed) return;
      const vault = this.#vault(owner);
      const agent = buildAgent(active, {
        settings,
        env: this.env,
        owner,
        sessionId,
        transcript,
        readDelegation: () => vault.readDelegation(),
        mayPrompt: () => vault.claimReauthorisationPrompt(settings.promptThrottleSeconds),
        now: Date.now,
        log: createLogger({ surface: "oracle", object: "chat-session", requestId: active.run.requestId }),
      });
      await runTurn(active, agent);
    }

    /** Moves the alarm to an earlier time; a later one is set when the earlier has rung. */
    #arm(at: number): void {
      if (this.#alarmAt > Date.now() && this.#alarmAt <= at) return;
      this.#alarmAt = at;
      this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
    }

    #vault(owner: string): UserVaultRpc {
      return this.env.USER_VAULT.get(this.env.USER_VAULT.idFromName(owner));
    }
  };
}
