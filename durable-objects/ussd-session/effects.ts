/**
 * What the machines bring about outside of themselves, as an interface (contract/ussd.md sections 4 and 5). Each effect is
 * idempotent by the keys that it is given. What makes a step fail on its own is an outcome; whatever is thrown ends the
 * session with the spec's text. port-effects.ts has them over the ports.
 */
import type { Result } from "../../workers/platform/result.ts";
import type { InfoTopic, ReasonKey } from "./i18n/dictionary.ts";
import type { Language } from "./i18n/languages.ts";
import type { DomainQuery } from "./input/entries.ts";
import type { Caller, CreationOutcome, Login, LoginOutcome, NewAccount, NewPinOutcome, PinChange } from "./ports.ts";
import type { DomainView } from "./screens/domains.ts";

/**
 * A PIN on its way from an input to an effect. A stored snapshot does not have it, since functions are not stored: an
 * effect that begins anew after that finds it forgotten, and the PIN is asked for again.
 */
export interface Secret {
  readonly reveal?: () => string;
}

/** The PIN was lost with the memory of the object before the effect was done: it has to be typed again. */
export type Forgotten = { readonly state: "forgotten" };

export interface LogInRequest {
  readonly caller: Caller;
  readonly customerId: string;
  readonly pin: Secret;
  readonly purpose: "login" | "change-pin";
}

export interface PreparePinRequest {
  readonly caller: Caller;
  readonly effectKey: string;
  readonly pin: Secret;
  readonly login?: Login;
}

export interface ConfirmPinRequest {
  readonly sealed: string;
  readonly effectKey: string;
  readonly pin: Secret;
}

/** `null` where the login counts no more; a reason where the step cannot be done now. */
export type Lookup<Value> = Result<Value, ReasonKey> | null;

export interface Question {
  readonly login: Login;
  readonly language: Language;
  readonly jobId: string;
  readonly text: string;
}

export interface AskedQuestion {
  readonly login: Login;
  readonly jobId: string;
  /** Unix milliseconds. */
  readonly askedAt: number;
}

export interface InfoMessage {
  readonly caller: Caller;
  readonly messageKey: string;
  readonly topic: InfoTopic;
  readonly language: Language;
}

export interface Effects {
  logIn(request: LogInRequest): Promise<LoginOutcome | Forgotten>;
  preparePin(request: PreparePinRequest): Promise<NewPinOutcome | Forgotten>;
  confirmPin(request: ConfirmPinRequest): Promise<boolean | Forgotten>;
  createAccount(account: NewAccount): Promise<CreationOutcome>;
  changePin(change: PinChange): Promise<Login | null>;
  /** False: the login counts no more. */
  setLanguage(request: { caller: Caller; login: Login; language: Language }): Promise<boolean>;
  myDomains(login: Login): Promise<Lookup<readonly DomainView[]>>;
  findDomains(request: { login: Login; query: DomainQuery }): Promise<Lookup<readonly DomainView[]>>;
  ask(question: Question): Promise<Lookup<null>>;
  /**
   * Waits until there is an answer, or until it can be expected no more. Looks only while a caller waits for it (demand.ts):
   * one who has hung up is told on their next call.
   */
  awaitAnswer(question: AskedQuestion, signal: AbortSignal): Promise<Lookup<string>>;
  /** Whether the provider took the message. */
  sendInfo(message: InfoMessage): Promise<boolean>;
}
