/**
 * A chat session's core in Node: real SQL, a clock and timers that the test controls, and a restart that loses the memory and keeps
 * the storage, as an eviction or a kill does.
 */
import { runtimeContext } from "../plugins/small-plugins.ts";
import type { Delegation } from "../../../oracle/framework/delegation.ts";
import { DatabaseSync } from "node:sqlite";
import { createChatSession, type ChatSession } from "../../../durable-objects/chat-session/session.ts";
import { ChatSessionCalls, type ChatSessionRpc } from "../../../durable-objects/chat-session/calls.ts";
import type { SessionTouch } from "../../../oracle/user-vault-rpc.ts";
import { admitRun, reportersOf } from "../../../oracle/agent/admission.ts";
import { callAfterTurn, coversTitle, titleReportersOf } from "../../../oracle/agent/after-turn.ts";
import { createKeptReads } from "../../../oracle/agent/run-context.ts";
import { runAgent } from "../../../oracle/agent/run-agent.ts";
import { createLogger, withoutSecretsOf } from "../../../platform/log.ts";
import { chatSettings, type SettingsChange } from "./chat-settings.ts";
import { OWNER, sessionRecord } from "./chat-turns.ts";
import { createManualClock, type ManualClock } from "../clocks/manual-clock.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";
import { createTabs, type Tabs } from "./tabs.ts";
import type { TokensOfDay } from "./tokens-of-day.ts";
import type { SessionOptions } from "../../../durable-objects/chat-session/session-options.ts";

export interface SessionInNode {
  readonly sessionId: string;
  /** The current object; a new one after a restart. */
  readonly core: ChatSession & ChatSessionRpc;
  readonly clock: ManualClock;
  readonly database: DatabaseSync;
  /** The owner's tabs. Their connections survive a restart of the object, as they survive an eviction. */
  readonly tabs: Tabs;
  /** The updates of the owner's index, in order. */
  readonly touches: readonly SessionTouch[];
  /** Lines of the log, parsed. */
  readonly logged: readonly { readonly event: string; readonly requestId?: string; readonly reason?: string }[];
  /** The earliest time that the alarm was requested for, Unix milliseconds. */
  readonly wokenBy: number;
  /** How often a deleted session had nothing left to report. */
  readonly erased: number;
  /** How often the alarm was requested. */
  readonly watches: number;
  /** Loses the memory and keeps the storage. The new object has received no call yet. */
  restart(): void;
  /** Resolves when the object has no work left. */
  settled(): Promise<void>;
}

export interface SessionParts {
  readonly settings: SettingsChange;
  readonly storedDelegation?: Delegation;
  readonly mayPrompt?: () => Promise<boolean>;
  /** Whether the user has revoked that token; nothing is revoked by default. */
  readonly isRevoked?: (token: string) => Promise<boolean>;
  readonly title?: SessionOptions["title"];
  readonly reserveTitle?: SessionOptions["reserveTitle"];
  readonly touch?: () => Promise<void>;
  /** Rejects while turns cannot be run. */
  readonly prepare?: () => Promise<void>;
  /** False: building a turn's agent throws, as a bug of ours would. */
  readonly buildsAgents?: boolean;
  /** The part of the daily limits that each run may use. */
  readonly day?: TokensOfDay;
  /** The plugins' environment. */
  readonly env?: Env;
}

export async function startSession(parts: SessionParts): Promise<SessionInNode> {
  const sessionId = crypto.randomUUID();
  const settings = chatSettings(parts.settings);
  const database = new DatabaseSync(":memory:");
  const clock = createManualClock();
  const touches: SessionTouch[] = [];
  const logged: { event: string }[] = [];
  const env = parts.env ?? ({} as Env);
  const log = createLogger(
    {},
    withoutSecretsOf(env, (_, line) => void logged.push(JSON.parse(line) as { event: string })),
  );
  const tabs = createTabs({
    session: {
      owner: () => current.core.owner(),
      id: () => current.core.id(),
      wake: () => current.core.wake(),
      finishCall: (result) => current.core.finishCall(result),
      socketJoined: (socketId) => current.core.socketJoined(socketId),
      socketLeft: (socketId) => current.core.socketLeft(socketId),
    },
    database,
    clock,
    log,
  });
  const storageOf = () => ({ kv: runtimeContext().kv, texts: runtimeContext().texts, blobs: undefined });
  let watches = 0;
  let erased = 0;
  let wokenBy = Infinity;
  let current = open();

  function open() {
    const storage = createSqliteStorage(database);
    const { sockets } = tabs;
    const keptReads = createKeptReads(clock.now);
    const working = new Set<Promise<unknown>>();
    const callOffs: (() => void)[] = [];
    let gone = false;

    function background(work: Promise<unknown>): void {
      working.add(work);
      // Failures of a lost object's work are ignored; a live object's failures fail the test.
      work
        .finally(() => working.delete(work))
        .catch((thrown: unknown) => {
          if (!gone) throw thrown;
        });
    }

    const session = createChatSession({
      storage,
      erase: async () => {
        // Delayed on purpose: calls before the storage is empty must not find a session either.
        await new Promise((resolve) => void setImmediate(resolve));
        for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
          if (!String(name).startsWith("sqlite")) database.exec(`DROP TABLE ${String(name)}`);
      },
      now: clock.now,
      newId: () => crypto.randomUUID(),
      count: () => undefined,
      after: (milliseconds, work) => kept(clock.after(milliseconds, work)),
      every: (milliseconds, work) => kept(clock.every(milliseconds, work)),
      prepare: parts.prepare ?? (async () => undefined),
      admit: (request, facts, asked) => {
        const source = { loaded: settings, load: async () => settings };
        const readDelegation = async () => parts.storedDelegation ?? null;
        const isRevoked = parts.isRevoked ?? (async () => false);
        const { now, after } = clock;
        const { owner, sessionId } = facts;
        return admitRun(source, request, {
          owner,
          sessionId,
          ...asked,
          env,
          readDelegation,
          isRevoked,
          now,
          after,
          log,
        });
      },
      runAgent: async (active, request, facts, unstored) => {
        if (parts.buildsAgents === false) throw new Error("no agent");
        await runAgent(active, request, settings, {
          ...facts,
          ...unstored,
          env,
          publish: sockets.publish,
          storageOf,
          keptReads,
          dayBudget: parts.day?.budgetOf(active, unstored.grant, clock.now),
          readDelegation: async () => parts.storedDelegation ?? null,
          isRevoked: parts.isRevoked ?? (async () => false),
          mayPrompt: parts.mayPrompt ?? (async () => true),
          now: clock.now,
          after: (milliseconds, work) => kept(clock.after(milliseconds, work)),
          background,
          log,
        });
      },
      reporters: (client) => reportersOf(settings, client),
      report: (plugin, owner, turn) =>
        callAfterTurn(settings, plugin, turn, { env, owner, storageOf, background, log }),
      onReported: () => void (erased += 1),
      title: parts.title ?? (async (opening) => opening.slice(0, 60)),
      reserveTitle: parts.reserveTitle ?? (async () => true),
      titleReporters: () => titleReportersOf(settings),
      coversTitle: (owner, most) =>
        coversTitle(settings, most, { env, owner, storageOf, background, log }, clock.after),
      timeLimit: () => settings.limits.timeoutMs,
      touch: async (_, change) => {
        await parts.touch?.();
        touches.push(change);
        for (const usage of change.spent ?? []) parts.day?.counts.record(usage, clock.now());
      },
      sockets,
      wakeAt: (time) => {
        watches += 1;
        wokenBy = Math.min(wokenBy, time);
      },
      background,
      log,
    });

    function kept(callOff: () => void): () => void {
      callOffs.push(callOff);
      return callOff;
    }

    return {
      core: Object.assign(new ChatSessionCalls(session), session),
      working,
      lose() {
        gone = true;
        storage.cutOff();
        for (const callOff of callOffs) callOff();
      },
    };
  }

  await current.core.create(OWNER, sessionRecord(sessionId));
  return {
    sessionId,
    clock,
    database,
    tabs,
    touches,
    logged,
    get core() {
      return current.core;
    },
    get wokenBy() {
      return wokenBy;
    },
    get erased() {
      return erased;
    },
    get watches() {
      return watches;
    },
    restart() {
      current.lose();
      tabs.evict();
      current = open();
    },
    async settled() {
      while (current.working.size > 0) await Promise.allSettled(current.working);
    },
  };
}
