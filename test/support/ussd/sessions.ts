/**
 * The phone gateway in Node, without HTTP: session objects over real SQLite with a manual clock, accounts over real SQL, the
 * registry's port over its real tables, and the oracle's port over its real objects. A restart loses only the memory of every
 * object.
 */
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import { createMenus, type Menus } from "../../../durable-objects/ussd-session/menus/conversation.ts";
import type { SessionAnswer, SessionRequest } from "../../../durable-objects/ussd-session/rpc.ts";
import { createUssdSession, type UssdSessionCore } from "../../../durable-objects/ussd-session/session/session.ts";
import type { SessionRules } from "../../../durable-objects/ussd-session/settings.ts";
import type { AccountsPort, DigestPort, SessionReport, SmsPort } from "../../../durable-objects/ussd-session/ports.ts";
import { fail } from "../../../platform/failure.ts";
import type { Database } from "../../../platform/database/database.ts";
import { sessionName } from "../../../platform/object-names.ts";
import { createLogger } from "../../../platform/log.ts";
import { success } from "../../../platform/result.ts";
import type { DomainRecord } from "../../../workers/registry/domain/domain.ts";
import { createDomainDirectory } from "../../../workers/registry/port.ts";
import { createCallsInFlight } from "./calls-in-flight.ts";
import { createManualClock, type ManualClock } from "../clocks/manual-clock.ts";
import { testDatabase } from "../storage/test-database.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";
import { registryInNode } from "../registry/registry-in-node.ts";
import { replaceDomains, slowedDomains, type SlowedDomains } from "../registry/slowed-domains.ts";
import { chatModels, chatSettings } from "../oracle/chat-settings.ts";
import { oracleObjectsInNode } from "../oracle/oracle-objects-in-node.ts";
import { createSlowedOracle, type SlowedOracle } from "../oracle/slowed-oracle.ts";
import { testAccounts, type TestAccounts } from "./accounts.ts";

export const PHONE = "+260971230001";
const CODE = "*2233#";

const RULES: SessionRules = {
  textMode: "auto",
  replayWindowMs: 2_000,
  directDial: true,
  lifetimeMs: 180_000,
  resumeWindowMs: 900_000,
  defaultLanguage: "en",
};

export interface GatewayOptions {
  readonly rules?: Partial<SessionRules>;
  readonly replyBudgetMs?: number;
  readonly oracleBudgetMs?: number;
  /** False: no oracle is configured. */
  readonly hasOracle?: boolean;
  readonly septets?: number;
  readonly supportPhone?: string;
  readonly sms?: SmsPort;
  readonly withinRate?: (phoneNumber: string) => Promise<boolean>;
  readonly digests?: DigestPort;
  /** Wraps the accounts' port. */
  readonly accounts?: (port: AccountsPort) => AccountsPort;
}

export interface UssdGateway {
  /** The menus of all its sessions. */
  readonly menus: Menus;
  readonly clock: ManualClock;
  readonly database: Database;
  readonly accounts: TestAccounts;
  /** The registry's port, with the statements of its database, and a way to give it domains. */
  readonly domains: SlowedDomains & {
    readonly statements: readonly string[];
    replace(...records: readonly DomainRecord[]): Promise<void>;
  };
  readonly oracle: SlowedOracle;
  readonly reports: readonly SessionReport[];
  readonly log: readonly string[];
  /** Whether a thread or the database is still working for a session, independent of the manual clock. */
  readonly isAtWork: boolean;
  /** The stored rows of each object, by session. */
  stored(): readonly string[];
  post(request: Partial<SessionRequest> & Pick<SessionRequest, "text">): Promise<SessionAnswer>;
  session(sessionId: string): UssdSessionCore;
  restart(): void;
  /** Changes an object's stored record, as another version of the code would have written it. */
  changeStored(sessionId: string, change: (record: Record<string, unknown>) => object): void;
  /** Every use of the object's storage fails until a restart. */
  breakStorage(sessionId: string): void;
  /** Fires the alarms that are due. */
  ringAlarms(): Promise<void>;
  /** Resolves when no background work is left. */
  settled(): Promise<void>;
}

interface Kept {
  readonly database: DatabaseSync;
  alarmAt: number | undefined;
  core: UssdSessionCore | undefined;
  cutOff: () => void;
}

export async function createUssdGateway(options: GatewayOptions = {}): Promise<UssdGateway> {
  const clock = createManualClock();
  const database = testDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql", "0013_ussd_gateways.sql"]);
  const accountClock = {
    get now() {
      return clock.now();
    },
    set now(_: number) {
      throw new Error("the gateway's clock is the accounts' clock");
    },
  };
  const accounts = await testAccounts(database, { clock: accountClock, iterations: 1 });
  const oracle = createSlowedOracle();
  onTestFinished(() => {
    // Otherwise a turn that is still withheld would continue into later tests.
    oracle.answers = { state: "answered", text: "The test is over." };
  });
  const objects = new Map<string, Kept>();
  const working = new Set<Promise<unknown>>();
  const reports: SessionReport[] = [];
  const log: string[] = [];
  const logger = createLogger({}, (_, line) => log.push(line));
  const calls = createCallsInFlight();
  const registry = registryInNode();
  const directory = createDomainDirectory({ database: registry.d1, clock: clock.now, log: logger });
  const domains = Object.assign(slowedDomains(calls.watch(directory)), {
    statements: registry.texts,
    replace: (...records: readonly DomainRecord[]) => replaceDomains(registry.d1, records),
  });
  const watched = calls.watch(accounts.port);
  const port = options.accounts?.(watched) ?? watched;
  const oracleObjects = oracleObjectsInNode();
  oracleObjects.objects.settings = chatSettings({ models: chatModels(oracle.model) });
  const { client, audience } = await oracle.open(oracleObjects.bindings, clock.now);
  const menus = createMenus(
    {
      accounts: port,
      domains: domains.directory,
      ...(options.hasOracle === false ? {} : { oracle: { client: calls.watch(client), audience } }),
      app: "Digital Services",
      clock: clock.now,
      after: clock.after,
      ...(options.sms === undefined ? {} : { sms: options.sms }),
    },
    {
      limit: { septets: options.septets ?? 160, countPrefix: true },
      answerPages: 4,
      supportPhone: options.supportPhone,
      replyBudgetMs: options.replyBudgetMs ?? 4_000,
      oracleBudgetMs: options.oracleBudgetMs ?? 7_000,
      log: logger,
    },
  );

  function kept(sessionId: string): Kept {
    const known = objects.get(sessionId);
    if (known !== undefined) return known;
    const fresh: Kept = {
      database: new DatabaseSync(":memory:"),
      alarmAt: undefined,
      core: undefined,
      cutOff: () => {},
    };
    objects.set(sessionId, fresh);
    return fresh;
  }

  function session(sessionId: string): UssdSessionCore {
    const object = kept(sessionId);
    object.core ??= open(object);
    return object.core;
  }

  function open(object: Kept): UssdSessionCore {
    const storage = createSqliteStorage(object.database);
    object.cutOff = storage.cutOff;
    return createUssdSession({
      storage,
      erase: async () => {
        object.alarmAt = undefined;
        for (const { name } of object.database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
          if (!String(name).startsWith("sqlite")) object.database.exec(`DROP TABLE ${String(name)}`);
      },
      rules: { ...RULES, ...options.rules },
      menus,
      accounts: port,
      digests: calls.watch(options.digests ?? accounts.digests),
      statistics: {
        report: async (report) => {
          reports.push(report);
          return success(undefined);
        },
      },
      otherSession: (id) => session(id),
      ...(options.withinRate === undefined ? {} : { withinRate: options.withinRate }),
      sms: options.sms !== undefined,
      clock: clock.now,
      after: clock.after,
      newSeed: () => crypto.randomUUID(),
      wake: (at) => {
        object.alarmAt = Math.min(object.alarmAt ?? at, at);
      },
      background: (work) => {
        working.add(work);
        void work.catch(() => {}).finally(() => working.delete(work));
      },
      log: logger,
    });
  }

  return {
    menus,
    clock,
    database,
    accounts,
    domains,
    oracle,
    reports,
    log,
    get isAtWork() {
      return calls.count > 0;
    },
    session,
    stored: () =>
      [...objects.values()].flatMap(({ database: own }) =>
        own.prepare("SELECT name FROM sqlite_master WHERE name = 'session'").all().length === 0
          ? []
          : own
              .prepare("SELECT record FROM session")
              .all()
              .map(({ record }) => String(record)),
      ),
    post: (request) =>
      session(sessionName({ sessionId: "s1", ...request })).handle({
        sessionId: "s1",
        phoneNumber: PHONE,
        serviceCode: CODE,
        dialledSuffix: "",
        ...request,
      }),
    restart() {
      for (const object of objects.values()) {
        object.cutOff();
        object.core = undefined;
      }
    },
    changeStored(sessionId, change) {
      const { database: own } = kept(sessionId);
      const { record } = own.prepare("SELECT record FROM session").get() ?? {};
      const changed = change(JSON.parse(String(record)) as Record<string, unknown>);
      own.prepare("UPDATE session SET record = ?").run(JSON.stringify(changed));
    },
    breakStorage: (sessionId) => kept(sessionId).cutOff(),
    async ringAlarms() {
      for (const [sessionId, object] of objects) {
        if (object.alarmAt === undefined || object.alarmAt > clock.now()) continue;
        object.alarmAt = undefined;
        object.alarmAt = await session(sessionId).ring();
      }
    },
    async settled() {
      while (working.size > 0) await Promise.allSettled(working);
    },
  };
}

/** The answer of a port whose service is down. */
export const DOWN = fail("unavailable", "Service temporarily unavailable");
