/**
 * The Durable Object of one phone session: connects the session to its storage, clock, timers, alarm and the other
 * sessions, and forwards each call. `workers/index.ts` injects accounts, registry and oracle.
 */
import { DurableObject } from "cloudflare:workers";
import { createLogger } from "../platform/log.ts";
import { UNAVAILABLE } from "../platform/phone-reply.ts";
import { createMenus, type Menus } from "./ussd-session/menus/conversation.ts";
import type { UssdSessionRpc } from "./ussd-session/rpc.ts";
import { createUssdSession, type UssdSessionCore } from "./ussd-session/session/session.ts";
import type { UssdSettings } from "./ussd-session/settings.ts";
import { hexOf } from "../platform/digest.ts";

export { securityNoticeText } from "./ussd-session/texts/security-notice.ts";

/** Random bytes at the start of the keys of a session's effects. */
const SEED_BYTES = 16;
/** Milliseconds before an alarm that found no settings runs again. */
const ALARM_RETRY_MS = 60_000;

/** The binding as it is used here; the environment's own type would refer to this class. */
interface SessionBinding {
  readonly USSD_SESSION: { getByName(name: string): UssdSessionRpc };
}

type Call = keyof UssdSessionRpc;
type AnswerOf<Name extends Call> = Awaited<ReturnType<UssdSessionRpc[Name]>>;

/** Every call of the object, with its response while the deployment is misconfigured. */
const whenMisconfigured: { readonly [Name in Call]: AnswerOf<Name> } = {
  handle: { ...UNAVAILABLE, outcome: "failed" },
  handleLongText: { ...UNAVAILABLE, outcome: "failed" },
  close: undefined,
  hangUp: undefined,
  describe: null,
  claimDraft: null,
  forget: "busy",
};

/** `settingsOf` returns undefined if the deployment is misconfigured. */
export function defineUssdSession(settingsOf: (env: Env) => Promise<UssdSettings | undefined>) {
  const known = new WeakMap<Env, { readonly settings: UssdSettings; readonly menus: Menus }>();

  /** Once per isolate. */
  async function prepare(env: Env) {
    const settings = known.has(env) ? undefined : await settingsOf(env);
    if (settings !== undefined) {
      const log = createLogger({ surface: "ussd", object: "ussd-session" });
      const { accounts, domains, oracle, sms, app } = settings;
      const { limit, supportPhone, answerPages, replyBudgetMs, oracleBudgetMs } = settings;
      const menus = createMenus(
        { accounts, domains, oracle, sms, app, clock: () => Date.now(), after },
        { limit, supportPhone, answerPages, replyBudgetMs, oracleBudgetMs, log },
      );
      known.set(env, { settings, menus });
    }
    return known.get(env);
  }

  class UssdSessionObject extends DurableObject<Env> {
    readonly #log = createLogger({ surface: "ussd", object: "ussd-session" });
    #session: UssdSessionCore | undefined;
    /** The time of the alarm, if known, in Unix milliseconds. */
    #alarmAt = 0;

    constructor(context: DurableObjectState, env: Env) {
      super(context, env);
      void context.blockConcurrencyWhile(async () => {
        const prepared = await prepare(env);
        this.#session = prepared && this.#open(prepared.settings, prepared.menus);
      });
    }

    override async alarm(): Promise<void> {
      this.#alarmAt = 0;
      const next = this.#session === undefined ? Date.now() + ALARM_RETRY_MS : await this.#session.ring();
      if (next !== undefined) this.#arm(next);
    }

    static answer(object: UssdSessionObject, call: Call, argument: never): unknown {
      return object.#session === undefined ? whenMisconfigured[call] : object.#session[call](argument);
    }

    #open(settings: UssdSettings, menus: Menus): UssdSessionCore {
      const { accounts, digests, statistics, rules, sms, phoneRatePerMinute } = settings;
      return createUssdSession({
        storage: this.ctx.storage,
        erase: async () => {
          this.#alarmAt = 0;
          // Together, so that nothing can happen between them.
          await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
        },
        rules,
        menus,
        accounts,
        digests,
        statistics,
        otherSession: (name) => (this.env as unknown as SessionBinding).USSD_SESSION.getByName(name),
        withinRate: phoneRatePerMinute === 0 ? undefined : (phone) => this.#withinRate(phone, phoneRatePerMinute),
        sms: sms !== undefined,
        clock: () => Date.now(),
        after,
        newSeed,
        wake: (at) => this.#arm(at),
        background: (work) => this.ctx.waitUntil(work),
        log: this.#log,
      });
    }

    async #withinRate(phoneNumber: string, limit: number): Promise<boolean> {
      const limiter = this.env.RATE_LIMITER.getByName(`ussd-phone:${phoneNumber}`);
      const { admitted } = await limiter.take(limit);
      return admitted;
    }

    /** Moves the alarm to an earlier time; a later one is set after the earlier has run. */
    #arm(at: number): void {
      if (this.#alarmAt > Date.now() && this.#alarmAt <= at) return;
      this.#alarmAt = at;
      this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
    }
  }

  // The runtime exposes methods of the prototype: each call, as declared in rpc.ts.
  for (const call of Object.keys(whenMisconfigured) as Call[]) {
    Object.defineProperty(UssdSessionObject.prototype, call, {
      // Configurable like a method of a class, so that platform/database/object-connections.ts can replace it.
      configurable: true,
      async value(this: UssdSessionObject, argument: never) {
        return UssdSessionObject.answer(this, call, argument);
      },
    });
  }
  return UssdSessionObject;
}

function after(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}

function newSeed(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
}
