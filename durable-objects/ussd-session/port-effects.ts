/**
 * The effects of the machines as functions over the ports (contract/ussd.md sections 4 and 5): accounts, registry, oracle,
 * SMS. A database that cannot be asked is thrown.
 */
import type { DomainDirectory, DomainSummary, OracleDesk } from "../../workers/platform/ports.ts";
import { failure, success, type Result } from "../../workers/platform/result.ts";
import type { Demand } from "./demand.ts";
import type { Effects } from "./effects.ts";
import { fill } from "./i18n/dictionary.ts";
import { dictionaryOf, LANGUAGE_NAMES, type Language } from "./i18n/languages.ts";
import type { AccountsPort, Login, SmsPort } from "./ports.ts";
import { LISTED_DOMAINS, PICKED_DOMAINS, type DomainView } from "./screens/domains.ts";

/** Milliseconds: after this long a question without an answer is given up. */
const QUESTION_LIFETIME_MS = 120_000;
/** Milliseconds between two looks at whether the oracle has answered. */
const ANSWER_POLL_MS = 400;
/** Characters that the oracle is asked to keep to: about three screens. */
const ANSWER_LENGTH = 400;

export interface EffectParts {
  readonly accounts: AccountsPort;
  readonly domains: DomainDirectory;
  /** Absent: there is no oracle to be asked. */
  readonly oracle?: {
    readonly desk: OracleDesk;
    /** The oracle's DID, to which invocations are addressed. */
    readonly audience: string;
  };
  /** Absent: no message can be sent, so none is offered. */
  readonly sms?: SmsPort;
  readonly app: string;
  readonly demand: Demand;
  clock(): number;
  /** Calls back once; answers how to call it off. */
  after(milliseconds: number, work: () => void): () => void;
}

export function createEffects(parts: EffectParts): Effects {
  const { accounts, domains, oracle, sms, demand } = parts;

  async function customerDids(login: Login): Promise<readonly string[] | null> {
    const customer = required(await accounts.customer(login));
    return customer && [customer.keyDid, customer.linkedDid ?? ""].filter((did) => did !== "");
  }

  async function invocation(login: Login, audience: string): Promise<string | null> {
    return required(await accounts.mintInvocation(login, audience));
  }

  function pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const callOff = parts.after(ANSWER_POLL_MS, resolve);
      signal.addEventListener("abort", () => {
        callOff();
        resolve();
      });
    });
  }

  return {
    async logIn({ pin, ...attempt }) {
      if (pin.reveal === undefined) return { state: "forgotten" };
      return required(await accounts.login({ ...attempt, pin: pin.reveal() }));
    },
    async preparePin({ caller, pin, ...rest }) {
      if (pin.reveal === undefined) return { state: "forgotten" };
      return required(await accounts.preparePin({ ...rest, pin: pin.reveal(), phoneNumber: caller.phoneNumber }));
    },
    async confirmPin({ pin, ...rest }) {
      if (pin.reveal === undefined) return { state: "forgotten" };
      return required(await accounts.matchesPin({ ...rest, pin: pin.reveal() }));
    },
    createAccount: async (account) => required(await accounts.createAccount(account)),
    changePin: async (change) => required(await accounts.changePin(change)),
    setLanguage: async ({ caller, login, language }) => required(await accounts.setLanguage(caller, login, language)),

    async myDomains(login) {
      const dids = await customerDids(login);
      if (dids === null) return null;
      if (dids.length === 0) return failure("noDid");
      const listed = await domains.listByControllers(dids, LISTED_DOMAINS);
      if (!listed.ok) return failure("unavailable");
      return listed.value.length === 0 ? failure("noDomains") : success(listed.value.map(viewOf));
    },
    async findDomains({ login, query }) {
      if ((await customerDids(login)) === null) return null;
      const found =
        query.kind === "did"
          ? await one(domains, query.did)
          : await domains.findBySuffix(query.suffix, PICKED_DOMAINS + 1);
      if (!found.ok) return failure(found.error.code === "not_found" ? "noSuchDomain" : "unavailable");
      if (found.value.length === 0) return failure("noSuchDomain");
      return found.value.length > PICKED_DOMAINS ? failure("tooManyMatches") : success(found.value.map(viewOf));
    },

    async ask({ login, jobId, language, text }) {
      if (oracle === undefined) return failure("unavailable");
      const taken = required(await accounts.takeQuestion(login, jobId));
      if (taken === null) return null;
      if (taken === "limit") return failure("dailyLimit");
      const proof = await invocation(login, oracle.audience);
      if (proof === null) return null;
      const asked = await oracle.desk.ask({ jobId, invocation: proof, text, answerStyle: answerStyle(language) });
      if (asked.ok) return success(null);
      return failure(asked.error.code === "payment_required" ? "paidPlan" : "unavailable");
    },
    async awaitAnswer({ login, jobId, askedAt }, signal) {
      if (oracle === undefined) return failure("unavailable");
      signal.addEventListener("abort", () => demand.forget(jobId), { once: true });
      while (!signal.aborted) {
        await demand.wanted(jobId, signal);
        if (signal.aborted) break;
        const proof = await invocation(login, oracle.audience);
        if (proof === null) return null;
        const answer = await oracle.desk.answer(jobId, proof);
        if (!answer.ok) return failure(answer.error.code === "payment_required" ? "paidPlan" : "unavailable");
        if (answer.value.state === "answered") return success(answer.value.text);
        if (answer.value.state === "failed") {
          return failure(answer.value.reason === "payment_required" ? "paidPlan" : "oracleFailed");
        }
        if (parts.clock() - askedAt > QUESTION_LIFETIME_MS) return failure("oracleFailed");
        await pause(signal);
      }
      return failure("oracleFailed");
    },
    async sendInfo({ caller, messageKey, topic, language }) {
      if (sms === undefined) return false;
      const text = fill(dictionaryOf(language).info[topic], { app: parts.app });
      return (await sms.send({ messageKey, to: caller.phoneNumber, text })).ok;
    },
  };
}

/** What the database answered; without it the session cannot go on. */
function required<Value>(answer: Result<Value>): Value {
  if (!answer.ok) throw new Error(`accounts: ${answer.error.code}`);
  return answer.value;
}

async function one(domains: DomainDirectory, did: string): Promise<Result<readonly DomainSummary[]>> {
  const found = await domains.get(did);
  return found.ok ? success([found.value]) : found;
}

/** Only what a phone shows: it is stored with the session. */
function viewOf({ id, name, type, verification, validUntil }: DomainSummary): DomainView {
  return {
    id,
    type,
    verification,
    ...(name === undefined ? {} : { name }),
    ...(validUntil === undefined ? {} : { validUntil }),
  };
}

/** For a small screen, in the caller's language. */
function answerStyle(language: Language): string {
  return `in ${LANGUAGE_NAMES[language]}, as plain text of at most ${ANSWER_LENGTH} characters`;
}
