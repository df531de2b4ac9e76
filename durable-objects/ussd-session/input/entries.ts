/**
 * Which typed values the steps accept (contract/ussd.md sections 5.5 to 5.7): each reader answers the value to keep or
 * the reason to show. Weak PINs, lock-out and everything that needs an account is the accounts port's.
 */
import { failure, success, type Result } from "../../../workers/platform/result.ts";
import type { ReasonKey } from "../i18n/dictionary.ts";

export type Entry<Value> = Result<Value, ReasonKey>;

/** A question shorter than this says nothing, characters. */
const MIN_QUESTION = 3;

/** @returns in upper case. */
export function readCustomerId(input: string): Entry<string> {
  return /^C[A-Z0-9]{8,19}$/i.test(input) ? success(input.toUpperCase()) : failure("customerIdFormat");
}

/** 4 to 6 digits: accounts of other systems have such PINs. */
export function readLoginPin(input: string): Entry<string> {
  return /^\d{4,6}$/.test(input) ? success(input) : failure("loginPinFormat");
}

export function readNewPin(input: string): Entry<string> {
  return /^\d{5}$/.test(input) ? success(input) : failure("newPinFormat");
}

/** Letters of any script with their marks, digits, spaces and the marks that names have; at least one letter. */
export function readName(input: string): Entry<string> {
  return /^[\p{L}\p{M}\p{Nd} '’.-]+$/u.test(input) && /\p{L}/u.test(input) ? success(input) : failure("nameFormat");
}

export function readEmail(input: string): Entry<string> {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(input) ? success(input) : failure("emailFormat");
}

export type DomainQuery =
  | { readonly kind: "did"; readonly did: string }
  /** In lower case. */
  | { readonly kind: "suffix"; readonly suffix: string };

/** A DID, whose method phones like to capitalise, or 6 to 32 hexadecimal characters from its end. */
export function readDomainQuery(input: string): Entry<DomainQuery> {
  if (/^[0-9a-f]{6,32}$/i.test(input)) return success({ kind: "suffix", suffix: input.toLowerCase() });
  const [, method, rest] = /^did:([a-z0-9]+):([\w.:%-]+)$/i.exec(input) ?? [];
  if (method === undefined || rest === undefined) return failure("domainFormat");
  return success({ kind: "did", did: `did:${method.toLowerCase()}:${rest}` });
}

export function readQuestion(input: string): Entry<string> {
  return Array.from(input).length >= MIN_QUESTION ? success(input) : failure("questionTooShort");
}
