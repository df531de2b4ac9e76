/**
 * The Durable Object of one chat session: connects the session to its storage, clock, timers, alarm, sockets and other
 * objects, and exposes its calls. `workers/index.ts` injects models, plugins and the oracle's own settings.
 */
import { DurableObject } from "cloudflare:workers";
import { createPluginBlobs } from "../oracle/framework/plugin-blobs.ts";
import { blobBucket, createPluginKv, createPluginTexts } from "../oracle/framework/storage.ts";
import { cidOfToken } from "../platform/auth/ucan-token.ts";
import { createLogger, describeThrown, withoutSecretsOf } from "../platform/log.ts";
import { sendCounts } from "../platform/metrics/counters.ts";
import { BUDGET_OF_ALL } from "../platform/object-names.ts";
import type { Result } from "../platform/result.ts";
import { runAgent } from "../oracle/agent/run-agent.ts";
import type { DayBudget } from "../oracle/agent/run-limits.ts";
import { admitRun, reportersOf } from "../oracle/agent/admission.ts";
import { callAfterTurn, coversTitle, titleReportersOf, type AfterTurnFacts } from "../oracle/agent/after-turn.ts";
import { createKeptReads, type OwnFacts } from "../oracle/agent/run-context.ts";
import { countRun } from "./chat-session/count-run.ts";
import { ChatSessionCalls, offerCalls, sessionByName } from "./chat-session/calls.ts";
import type { RunRequest, Unstored } from "../oracle/run-request.ts";
import type { ActiveRun } from "../oracle/runs/active-run.ts";
import { runKeyOf } from "../oracle/runs/run-queue.ts";
import { createChatSession } from "./chat-session/session.ts";
import type { ChannelSettings, OracleSettings } from "../oracle/settings.ts";
import { createSessionChannel } from "./chat-session/sockets/channel-server.ts";
import { createSessionSockets } from "./chat-session/sockets/session-sockets.ts";
import { createSharedAlarm } from "./shared-alarm.ts";
import { objectPorts } from "../socketio/index.ts";
import type { UserVaultRpc } from "./user-vault.ts";
import type { SessionTouch, TokenGrant, TokenRequest } from "../oracle/user-vault-rpc.ts";
import type { AskedRun, SessionFacts } from "./chat-session/session-options.ts";

/** Time limit for a title, in milliseconds. */
const TITLE_TIME_LIMIT_MS = 15_000;

/** The dependencies of a session, by its environment. */
export interface ChatSessionDefinition {
  /** Rejects while the oracle's configuration is wrong. */
  readonly settings: (env: Env) => Promise<OracleSettings>;
  readonly channel: (env: Env) => ChannelSettings;
}

export function defineChatSession({ settings: settingsOf, channel }: ChatSessionDefinition) {
  return class extends DurableObject<Env> {
    static {
      offerCalls(this, (object) => object.#calls);
    }

    readonly #log = createLogger({ surface: "oracle", object: "chat-session" }, withoutSecretsOf(this.env));
    #loaded: OracleSettings | undefined;
    readonly #keptReads = createKeptReads(Date.now);
    readonly #background = (work: Promise<unknown>): void => this.ctx.waitUntil(work);
    readonly #userVault = (did: string): UserVaultRpc => this.env.USER_VAULT.get(this.env.USER_VAULT.idFromName(did));
    readonly #alarm = createSharedAlarm({
      parts: {
        runs: { nextDue: () => this.#session.nextWatch(), ring: () => this.#session.watch() },
        sockets: { nextDue: () => this.#channel.server.nextAlarm(), ring: () => this.#channel.server.alarm() },
        authentications: { nextDue: () => undefined, ring: () => this.#channel.revocations.check() },
      },
      set: (at) => this.#background(at === undefined ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(at)),
      now: Date.now,
      onFailure: (part, thrown) => this.#log.error("alarm-part-failed", { part, reason: describeThrown(thrown) }),
    });

    readonly #sockets = createSessionSockets(() => this.#channel.server);

    readonly #session = createChatSession({
      storage: this.ctx.storage,
      erase: () => this.#erase(),
      now: Date.now,
      newId: () => crypto.randomUUID(),
      after,
      every: (milliseconds, work) => {
        const timer = setInterval(work, milliseconds);
        return () => clearInterval(timer);
      },
      prepare: () => this.#settings(),
      admit: (request, facts, asked) => this.#admit(request, facts, asked),
      runAgent: (active, request, facts, unstored) => this.#runAgentOf(active, request, facts, unstored),
      reporters: (client) => (this.#loaded === undefined ? [] : reportersOf(this.#loaded, client)),
      report: async (plugin, owner, ended) =>
        callAfterTurn(await this.#settings(), plugin, ended, this.#afterTurnFacts(owner)),
      onReported: () => this.#background(this.#eraseUnused()),
      titleReporters: () => (this.#loaded === undefined ? [] : titleReportersOf(this.#loaded)),
      coversTitle: async (owner, most) => coversTitle(await this.#settings(), most, this.#afterTurnFacts(owner), after),
      reserveTitle: async (payer, runKey, most) => {
        const limits = limitsOf(await this.#settings(), payer);
        const wanted = { most, least: most, used: 0, since: Date.now(), isTurn: false };
        if ((await reserveIn(limits, this.#userVault, runKey, wanted)) !== undefined) return true;
        // One of them may have reserved tokens that another refused; no run will end and free them.
        await Promise.all(limits.map(({ name }) => this.#userVault(name).releaseRun(runKey)));
        return false;
      },
      title: async (opening, meter) => {
        const { models } = await this.#settings();
        const limit = new AbortController();
        // Cancelled with the title, because a waiting timer would keep the object in memory.
        const callOff = after(TITLE_TIME_LIMIT_MS, () => limit.abort());
        return models.title(opening, limit.signal, meter).finally(callOff);
      },
      timeLimit: () => this.#loaded?.limits.timeoutMs ?? Infinity,
      touch: ({ owner, sessionId }, change) => this.#touch(owner, sessionId, change),
      sockets: this.#sockets,
      wakeAt: (time) => this.#alarm.wantBy("runs", time),
      background: this.#background,
      count: (run) => {
        countRun(this.env, run);
        sendCounts(this.env, this.#background, this.#log);
      },
      log: this.#log,
    });

    readonly #calls = new ChatSessionCalls(this.#session);

    readonly #channel = this.#openChannel();

    override async alarm(): Promise<void> {
      this.#alarm.ring();
      await this.#eraseUnused();
    }

    /** `/socket.io/`, as the surface forwards it. */
    override async fetch(request: Request): Promise<Response> {
      const response = await this.#channel.server.handleRequest(request);
      await this.#eraseUnused();
      return response;
    }
    override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
      this.#channel.server.webSocketMessage(socket, message);
    }
    override async webSocketClose(socket: WebSocket): Promise<void> {
      this.#channel.server.webSocketClose(socket);
      await this.#eraseUnused();
    }
    override async webSocketError(socket: WebSocket): Promise<void> {
      this.#channel.server.webSocketError(socket);
      await this.#eraseUnused();
    }

    #admit(request: RunRequest, facts: SessionFacts, asked: AskedRun): Promise<Result<null>> | undefined {
      const source = { loaded: this.#loaded, load: () => this.#settings() };
      const { owner, sessionId } = facts;
      return admitRun(source, request, {
        env: this.env,
        owner,
        sessionId,
        runId: asked.runId,
        ordinal: asked.ordinal,
        matrixAccessToken: asked.matrixAccessToken,
        reports: asked.reports,
        readDelegation: () => this.#userVault(owner).readDelegation(),
        isRevoked: (token) => this.#isRevoked(owner, token),
        now: Date.now,
        after,
        log: this.#logOf(request.requestId),
      });
    }

    #afterTurnFacts(owner: string): AfterTurnFacts {
      const storageOf = this.#storageOf(owner, false);
      return { env: this.env, owner, storageOf, background: this.#background, log: this.#log };
    }

    async #isRevoked(owner: string, token: string): Promise<boolean> {
      const cid = await cidOfToken(token);
      return cid !== undefined && (await this.#userVault(owner).isDelegationRevoked(cid));
    }

    async #settings(): Promise<OracleSettings> {
      this.#loaded = await settingsOf(this.env);
      return this.#loaded;
    }

    async #runAgentOf(active: ActiveRun, request: RunRequest, facts: SessionFacts, unstored: Unstored): Promise<void> {
      const settings = await this.#settings();
      if (active.closed) return;
      const { owner, sessionId } = facts;
      await runAgent(active, request, settings, {
        env: this.env,
        owner,
        sessionId,
        transcript: facts.transcript,
        memory: facts.memory,
        clientCalls: facts.clientCalls,
        approvals: facts.approvals,
        questions: facts.questions,
        matrixAccessToken: unstored.matrixAccessToken,
        revision: unstored.revision,
        publish: this.#sockets.publish,
        // A new stub for each call: a stub whose object was lost stays broken, and a run may wait for a day.
        readDelegation: () => this.#userVault(owner).readDelegation(),
        isRevoked: (token) => this.#isRevoked(owner, token),
        mayPrompt: () => this.#userVault(owner).claimReauthorisationPrompt(settings.promptThrottleSeconds),
        background: this.#background,
        storageOf: this.#storageOf(owner),
        keptReads: this.#keptReads,
        dayBudget: this.#dayBudget(settings, active.run.payer ?? owner, active, unstored.grant),
        now: Date.now,
        after,
        log: this.#logOf(request.requestId),
      });
    }

    #dayBudget(
      settings: OracleSettings,
      payer: string,
      { run, usage }: ActiveRun,
      grant: TokenGrant | undefined,
    ): DayBudget | undefined {
      const limits = limitsOf(settings, payer);
      if (limits.length === 0) return undefined;
      const { startedAt: since } = run;
      return {
        grant,
        now: Date.now,
        reserve: async (wanted) => {
          const { inputTokens, outputTokens } = usage();
          const request = { ...wanted, used: inputTokens + outputTokens, since, isTurn: true };
          return reserveIn(limits, this.#userVault, runKeyOf(run), request);
        },
      };
    }

    /**
     * The storage of each plugin for the owner. A deleted session has no access to it: a run that has not ended must
     * not restore erased data.
     */
    #storageOf(owner: string, endsWithSession = true): OwnFacts["storageOf"] {
      const bucket = blobBucket(this.env);
      const ifAlive = <Store>(store: Store): Store => {
        if (endsWithSession && this.#session.owner() === undefined) throw new Error("This session was deleted");
        return store;
      };
      return (plugin) => ({
        kv: createPluginKv(() => ifAlive(this.#userVault(owner)), plugin),
        texts: createPluginTexts(() => ifAlive(this.#userVault(owner)), plugin),
        blobs: bucket && createPluginBlobs(() => ifAlive(bucket), plugin, owner),
      });
    }

    #openChannel() {
      const ports = objectPorts(this.ctx, {
        alarmChanged: (at) => this.#alarm.want("sockets", at),
        waitUntil: (work) => this.#background(work.then(() => this.#eraseUnused())),
        log: (level, event, members) => this.#log[level](event, members),
      });
      return createSessionChannel({
        settings: channel(this.env),
        sockets: this.#sockets,
        session: this.#session,
        otherSession: (sessionId) => sessionByName(this.env.CHAT_SESSION, sessionId),
        authenticator: async () => (await this.#settings()).authenticator,
        userVault: this.#userVault,
        background: this.#background,
        now: Date.now,
        log: this.#log,
        ports,
      });
    }

    async #erase(): Promise<void> {
      this.#channel.server.closeAll();
      this.#alarm.clear();
      // Together, so that nothing can happen between them.
      await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
    }

    /** An object without a session keeps data only until its last rejected connection has received its close packet. */
    async #eraseUnused(): Promise<void> {
      if (this.#session.owner() !== undefined || this.#session.hasReports()) return;
      const due = this.#channel.server.alarm();
      this.#alarm.want("sockets", due);
      if (due === undefined && this.#channel.server.counts().sessions === 0) await this.#erase();
    }

    /**
     * Counts the tokens of runs for the user who pays for them, and for the budget of the whole oracle if there is one.
     */
    async #touch(owner: string, sessionId: string, change: SessionTouch): Promise<void> {
      const { spent = [] } = change;
      if (spent.length > 0 && (await this.#settings()).tokensPerDay.ofAll > 0)
        await this.#userVault(BUDGET_OF_ALL).recordUsage(spent);
      const own = spent.filter(({ payer }) => payer === undefined);
      const foreign = Map.groupBy(spent, ({ payer }) => payer);
      for (const [payer, runs] of foreign) if (payer !== undefined) await this.#userVault(payer).recordUsage(runs);
      await this.#userVault(owner).touchSession(sessionId, { ...change, spent: own });
    }

    #logOf(requestId: string) {
      return createLogger({ surface: "oracle", object: "chat-session", requestId }, withoutSecretsOf(this.env));
    }
  };
}

/** The configured stores that count the tokens of a day, with their limits. */
function limitsOf({ tokensPerDay: { ofUser, ofAll } }: OracleSettings, payer: string) {
  const limits = [
    { name: payer, limit: ofUser },
    { name: BUDGET_OF_ALL, limit: ofAll },
  ];
  return limits.filter(({ limit }) => limit > 0);
}

/** Reserves with each of them in turn; the last grant is what the run can use. */
async function reserveIn(
  limits: readonly { readonly name: string; readonly limit: number }[],
  storeOf: (name: string) => UserVaultRpc,
  runKey: string,
  wanted: TokenRequest,
): Promise<TokenGrant | undefined> {
  let grant: TokenGrant = { tokens: wanted.most, until: Infinity };
  for (const { name, limit } of limits) {
    const reserve = () => storeOf(name).reserveTokens(runKey, { ...wanted, most: grant.tokens }, limit);
    // After a loss, a new stub reaches the object, and repeating a reservation replaces it.
    const reserved = await reserve().catch(reserve);
    if (reserved === null) return undefined;
    grant = { tokens: Math.min(grant.tokens, reserved.tokens), until: Math.min(grant.until, reserved.until) };
  }
  return grant;
}

function after(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}
