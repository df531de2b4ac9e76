/**
 * The effects of the menus, over the ports: accounts, registry, oracle, SMS. The given keys make each effect
 * idempotent. An expected failure of a state is an outcome; anything thrown, such as by an unresponsive database, ends
 * the session.
 */
import type { DomainDirectory, DomainSummary, OraclePort } from "../../../platform/ports.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { DomainQuery } from "../input/typed-input.ts";
import type {
  AccountsPort,
  Caller,
  CreationOutcome,
  Login,
  LoginAttempt,
  LoginOutcome,
  NewAccount,
  NewPin,
  NewPinOutcome,
  PinChange,
  PinConfirmation,
  SmsPort,
} from "../ports.ts";
import { dictionaryOf, fill, LANGUAGE_NAMES, type Language } from "../texts/dictionary.ts";
import type { AnswerWatch } from "./answer-watch.ts";
import { LISTED_DOMAINS, PICKED_DOMAINS, type DomainView } from "./domain-view.ts";
import type { InfoTopic, MessageKey } from "../texts/translation.ts";

/** Milliseconds after which the menus stop waiting for the answer to a question. */
const QUESTION_LIFETIME_MS = 120_000;
/** Milliseconds between two requests for the oracle's answer. */
const ANSWER_POLL_MS = 400;
/** Characters that the oracle is asked not to exceed: about three screens. */
const ANSWER_LENGTH = 400;

/**
 * A PIN on its way from an input to an effect. A stored snapshot does not contain it, because functions are not stored:
 * an effect that restarts from a snapshot finds it forgotten, and the PIN is asked for again.
 */
export interface Secret {
  readonly reveal?: () => string;
}

/** The PIN was lost with the object's memory before the effect was done, and must be typed again. */
export type Forgotten = { readonly state: "forgotten" };
const FORGOTTEN: Forgotten = { state: "forgotten" };

/** A request of the accounts port with a PIN in transit. */
type WithSecret<Request extends { readonly pin: string }> = Request extends unknown
  ? Omit<Request, "pin"> & { readonly pin: Secret }
  : never;
export type LogInRequest = WithSecret<LoginAttempt>;
export type PreparePinRequest = WithSecret<NewPin>;

/** `null` if the login has been revoked; a message if the state cannot be completed now. */
export type Lookup<Value> = Result<Value, MessageKey> | null;

interface Question {
  readonly login: Login;
  readonly jobId: string;
}

interface InfoMessage {
  readonly caller: Caller;
  readonly messageKey: string;
  readonly topic: InfoTopic;
  readonly language: Language;
}

export interface EffectPorts {
  readonly accounts: AccountsPort;
  readonly domains: DomainDirectory;
  /** Absent if no oracle is configured. */
  readonly oracle?:
    | {
        readonly client: OraclePort;
        /** The oracle's DID, to which invocations are addressed. */
        readonly audience: string;
      }
    | undefined;
  /** Absent if no message can be sent; then none is offered. */
  readonly sms?: SmsPort | undefined;
  readonly app: string;
  clock(): number;
  /** Calls back once; returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
}

export type Effects = ReturnType<typeof createEffects>;

export function createEffects(ports: EffectPorts, watch: AnswerWatch) {
  const { accounts, domains, oracle, sms } = ports;

  async function customerDids(login: Login): Promise<readonly string[] | null> {
    const customer = required(await accounts.customer(login));
    return customer && [customer.keyDid, customer.linkedDid ?? ""].filter((did) => did !== "");
  }

  async function invocation(login: Login, audience: string): Promise<string | null> {
    return required(await accounts.mintInvocation(login, audience));
  }

  function pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ports.after(ANSWER_POLL_MS, resolve);
      signal.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  return {
    async logIn({ pin, ...attempt }: LogInRequest): Promise<LoginOutcome | Forgotten> {
      if (pin.reveal === undefined) return FORGOTTEN;
      return required(await accounts.login({ ...attempt, pin: pin.reveal() }));
    },
    async preparePin({ pin, ...rest }: PreparePinRequest): Promise<NewPinOutcome | Forgotten> {
      if (pin.reveal === undefined) return FORGOTTEN;
      return required(await accounts.preparePin({ ...rest, pin: pin.reveal() }));
    },
    async confirmPin({ pin, ...rest }: WithSecret<PinConfirmation>): Promise<boolean | Forgotten> {
      if (pin.reveal === undefined) return FORGOTTEN;
      return required(await accounts.matchesPin({ ...rest, pin: pin.reveal() }));
    },
    /** False if the login has been revoked. */
    checkLogin: async (login: Login): Promise<boolean> => required(await accounts.customer(login)) !== null,
    createAccount: async (account: NewAccount): Promise<CreationOutcome> =>
      required(await accounts.createAccount(account)),
    changePin: async (change: PinChange): Promise<Login | null> => required(await accounts.changePin(change)),
    /** False if the login has been revoked. */
    setLanguage: async (change: { caller: Caller; login: Login; language: Language }): Promise<boolean> =>
      required(await accounts.setLanguage(change.caller, change.login, change.language)),

    async myDomains(login: Login): Promise<Lookup<readonly DomainView[]>> {
      const dids = await customerDids(login);
      if (dids === null) return null;
      if (dids.length === 0) return failure("noDid");
      const listed = await domains.listByControllers(dids, LISTED_DOMAINS);
      if (!listed.ok) return failure("unavailable");
      return listed.value.length === 0 ? failure("noDomains") : success(listed.value.map(viewOf));
    },
    async findDomains(request: { login: Login; query: DomainQuery }): Promise<Lookup<readonly DomainView[]>> {
      const { login, query } = request;
      const dids = await customerDids(login);
      if (dids === null) return null;
      const found =
        query.kind === "did"
          ? await one(domains, query.did, dids)
          : await domains.findBySuffix(query.suffix, PICKED_DOMAINS + 1, dids);
      if (!found.ok) return failure(found.error.code === "not_found" ? "noSuchDomain" : "unavailable");
      if (found.value.length === 0) return failure("noSuchDomain");
      return found.value.length > PICKED_DOMAINS ? failure("tooManyMatches") : success(found.value.map(viewOf));
    },

    async ask({
      login,
      jobId,
      language,
      text,
    }: Question & { language: Language; text: string }): Promise<Lookup<null>> {
      if (oracle === undefined) return failure("unavailable");
      const counted = required(await accounts.takeQuestion(login, jobId));
      if (counted === null) return null;
      if (counted === "limit") return failure("dailyLimit");
      const proof = await invocation(login, oracle.audience);
      if (proof === null) return null;
      const asked = await oracle.client.ask({
        jobId,
        invocation: proof,
        text,
        answerStyle: answerStyle(language),
        longestAnswer: ANSWER_LENGTH,
      });
      if (asked.ok) return success(null);
      return failure(asked.error.code === "payment_required" ? "paidPlan" : "unavailable");
    },
    /**
     * Waits until there is an answer, or none can be expected. Polls only while a request waits for it
     * (answer-watch.ts): a caller who has hung up gets it on their next call. `askedAt` is in Unix milliseconds.
     */
    async awaitAnswer(question: Question & { askedAt: number }, signal: AbortSignal): Promise<Lookup<string>> {
      const { login, jobId, askedAt } = question;
      if (oracle === undefined) return failure("unavailable");
      signal.addEventListener("abort", () => watch.forget(jobId), { once: true });
      while (!signal.aborted) {
        await watch.wanted(jobId, signal);
        if (signal.aborted) break;
        const proof = await invocation(login, oracle.audience);
        if (proof === null) return null;
        const answer = await oracle.client.answer(jobId, proof);
        if (!answer.ok) return failure(answer.error.code === "payment_required" ? "paidPlan" : "unavailable");
        if (answer.value.state === "answered") return success(answer.value.text);
        if (answer.value.state === "failed") {
          return failure(answer.value.reason === "payment_required" ? "paidPlan" : "oracleFailed");
        }
        if (ports.clock() - askedAt > QUESTION_LIFETIME_MS) return failure("oracleFailed");
        await pause(signal);
      }
      return failure("oracleFailed");
    },
    /** Whether the provider accepted the message. */
    async sendInfo(message: InfoMessage): Promise<boolean> {
      if (sms === undefined) return false;
      const { caller, messageKey, topic, language } = message;
      const text = fill(dictionaryOf(language).info[topic], { app: ports.app });
      return (await sms.send({ messageKey, to: caller.phoneNumber, text })).ok;
    },
  };
}

/** The database's result; without it the session cannot continue. */
function required<Value>(answer: Result<Value>): Value {
  if (answer.ok) return answer.value;
  if (answer.error.code === "storage_full") throw new NothingSaved();
  throw new Error(`accounts: ${answer.error.code}`);
}

/** The step needs to store something, and the database is full. */
export class NothingSaved extends Error {
  constructor() {
    super("accounts: storage_full");
    this.name = "NothingSaved";
  }
}

async function one(
  domains: DomainDirectory,
  did: string,
  askers: readonly string[],
): Promise<Result<readonly DomainSummary[]>> {
  const found = await domains.get(did, askers);
  return found.ok ? success([found.value]) : found;
}

/** Only the data that a phone shows, because it is stored with the session. */
function viewOf({ id, name, type, verification, validUntil }: DomainSummary): DomainView {
  return {
    id,
    type,
    verification,
    ...(name === undefined ? {} : { name }),
    ...(validUntil === undefined ? {} : { validUntil }),
  };
}

/** Asks for an answer that suits a small screen, in the caller's language. */
function answerStyle(language: Language): string {
  return `in ${LANGUAGE_NAMES[language]}, as plain text of at most ${ANSWER_LENGTH} characters`;
}
