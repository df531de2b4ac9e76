/**
 * The Durable Object of one phone session: gives the session's core its storage, clock, timers, alarm and neighbours,
 * and forwards each call. Accounts, registry and oracle are injected by `workers/index.ts`, which hands the words of
 * security notices on to who sends them.
 */
import { DurableObject } from "cloudflare:workers";
import { createLogger } from "../workers/platform/log.ts";
import { UNAVAILABLE } from "../workers/platform/phone-reply.ts";
import type { ConversationParts } from "./ussd-session/conversation.ts";
import { createConversationParts } from "./ussd-session/conversation-parts.ts";
import type { Binding, DraftClaim, HangUp, SessionAnswer, SessionRequest, UssdSessionRpc } from "./ussd-session/rpc.ts";
import { createUssdSession, type UssdSessionCore } from "./ussd-session/session.ts";
import type { UssdSettings } from "./ussd-session/settings.ts";

export { securityNoticeText } from "./ussd-session/security-notice.ts";

/** Bytes of randomness that the keys of a session's effects begin with. */
const SEED_BYTES = 16;
/** Milliseconds until an alarm that found no settings rings again. */
const ALARM_RETRY_MS = 60_000;

/** The binding as it is used here; the environment's own type would be this class. */
interface SessionBinding {
  readonly USSD_SESSION: { getByName(name: string): UssdSessionRpc };
}

/** `settingsOf`: undefined when the deployment is misconfigured; every request is then answered as unavailable. */
export function defineUssdSession(settingsOf: (env: Env) => Promise<UssdSettings | undefined>) {
  const known = new WeakMap<Env, { readonly settings: UssdSettings; readonly conversation: ConversationParts }>();

  /** Once per isolate: the machine costs more to make than to run. */
  async function prepare(env: Env) {
    const settings = known.has(env) ? undefined : await settingsOf(env);
    if (settings !== undefined) {
      const platform = { clock: () => Date.now(), after };
      const log = createLogger({ surface: "ussd", object: "ussd-session" });
      const conversation = createConversationParts({ ...settings, ...platform }, { ...settings, log });
      known.set(env, { settings, conversation });
    }
    return known.get(env);
  }

  return class extends DurableObject<Env> implements UssdSessionRpc {
    readonly #log = createLogger({ surface: "ussd", object: "ussd-session" });
    #core: UssdSessionCore | undefined;
    /** When the alarm is known to ring, Unix milliseconds. */
    #alarmAt = 0;

    constructor(context: DurableObjectState, env: Env) {
      super(context, env);
      void context.blockConcurrencyWhile(async () => {
        const prepared = await prepare(env);
        this.#core = prepared && this.#open(prepared.settings, prepared.conversation);
      });
    }

    override async alarm(): Promise<void> {
      this.#alarmAt = 0;
      const next = this.#core === undefined ? Date.now() + ALARM_RETRY_MS : await this.#core.ring();
      if (next !== undefined) this.#arm(next);
    }

    async handle(request: SessionRequest): Promise<SessionAnswer> {
      return (await this.#core?.handle(request)) ?? { ...UNAVAILABLE, outcome: "failed" };
    }
    async close(binding: Binding) {
      await this.#core?.close(binding);
    }
    async hangUp(end: HangUp) {
      await this.#core?.hangUp(end);
    }
    async describe(masked: boolean) {
      return (await this.#core?.describe(masked)) ?? null;
    }
    async takeDraft(claim: DraftClaim) {
      return (await this.#core?.takeDraft(claim)) ?? null;
    }

    #open(settings: UssdSettings, conversation: ConversationParts): UssdSessionCore {
      const { accounts, digests, statistics, rules, sms, phoneRatePerMinute } = settings;
      return createUssdSession({
        storage: this.ctx.storage,
        erase: async () => {
          this.#alarmAt = 0;
          // Both at once: between them nothing may happen.
          await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
        },
        rules,
        conversation,
        accounts,
        digests,
        statistics,
        neighbour: (name) => (this.env as unknown as SessionBinding).USSD_SESSION.getByName(name),
        brake: phoneRatePerMinute === 0 ? undefined : (phoneNumber) => this.#mayCall(phoneNumber, phoneRatePerMinute),
        sms: sms !== undefined,
        clock: () => Date.now(),
        after,
        newSeed,
        wake: (at) => this.#arm(at),
        background: (work) => this.ctx.waitUntil(work),
        log: this.#log,
      });
    }

    async #mayCall(phoneNumber: string, limit: number): Promise<boolean> {
      const limiter = this.env.RATE_LIMITER.getByName(`ussd-phone:${phoneNumber}`);
      const { admitted } = await limiter.take(limit);
      return admitted;
    }

    /** Moves the alarm to an earlier time; a later one is set when the earlier has rung. */
    #arm(at: number): void {
      if (this.#alarmAt > Date.now() && this.#alarmAt <= at) return;
      this.#alarmAt = at;
      this.ctx.waitUntil(this.ctx.storage.setAlarm(at));
    }
  };
}

function after(milliseconds: number, work: () => void): () => void {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
}

function newSeed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
