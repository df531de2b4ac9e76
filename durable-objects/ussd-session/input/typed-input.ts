/**
 * Interprets one cleaned input in the state where it was typed: back, exit, skip, the next page, or a value. Also defines which
 * values the states accept, and the message for other values. The accounts port handles weak PINs, locks and everything else that
 * needs an account.
 */
import { failure, success, type Result } from "../../../platform/result.ts";
import type { MessageKey } from "../texts/translation.ts";

export type InputKind = "menu" | "name" | "email" | "question" | "did" | "customer-id" | "pin";

/** Maximum code points of one input of each kind. */
export const INPUT_LIMITS: Readonly<Record<InputKind, number>> = {
  menu: 20,
  name: 100,
  email: 100,
  question: 120,
  did: 80,
  "customer-id": 20,
  pin: 6,
};

export const BACK_KEY = "0";
export const EXIT_KEY = "*";
export const SKIP_KEY = "00";
export const MORE_KEY = "98";

/** Words that work on menus only, because "Exit" may be a name. */
const WORDS: ReadonlyMap<string, "back" | "exit"> = new Map([
  ["back", "back"],
  ["cancel", "back"],
  ["exit", "exit"],
]);

export type TypedInput =
  | { readonly kind: "back" | "exit" | "skip" | "more" | "empty" | "too-long" }
  | { readonly kind: "value"; readonly value: string };

/**
 * @param input sanitised.
 * @param printed the keys that the last reply showed; skip and more work only where they are printed.
 */
export function readInput(input: string, expected: InputKind, printed: readonly string[]): TypedInput {
  if (input === "") return { kind: "empty" };
  if (input === EXIT_KEY || input === EXIT_KEY.repeat(2)) return { kind: "exit" };
  if (input === BACK_KEY) return { kind: "back" };
  if (input === SKIP_KEY && printed.includes(SKIP_KEY)) return { kind: "skip" };
  if (input === MORE_KEY && printed.includes(MORE_KEY)) return { kind: "more" };
  const word = expected === "menu" ? WORDS.get(input.toLowerCase()) : undefined;
  if (word !== undefined) return { kind: word };
  if (Array.from(input).length > INPUT_LIMITS[expected]) return { kind: "too-long" };
  return { kind: "value", value: input };
}

/** Whether `*` is part of such an input; in all others it separates two inputs. */
export function mayHoldStars(expected: InputKind): boolean {
  return expected === "question";
}

type Entry<Value> = Result<Value, MessageKey>;

/** Minimum characters of a question. */
const MIN_QUESTION = 3;

/** @returns in upper case. */
export function readCustomerId(input: string): Entry<string> {
  return /^C[A-Z0-9]{8,19}$/i.test(input) ? success(input.toUpperCase()) : failure("customerIdFormat");
}

/** 4 to 6 digits, because accounts of other systems have such PINs. */
export function readLoginPin(input: string): Entry<string> {
  return /^\d{4,6}$/.test(input) ? success(input) : failure("loginPinFormat");
}

export function readNewPin(input: string): Entry<string> {
  return /^\d{5}$/.test(input) ? success(input) : failure("newPinFormat");
}

/** Letters of any script with their marks, digits, spaces and marks used in names; at least one letter. */
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

/** A DID, whose method phones tend to capitalise, or its last 6 to 32 hexadecimal characters. */
export function readDomainQuery(input: string): Entry<DomainQuery> {
  if (/^[0-9a-f]{6,32}$/i.test(input)) return success({ kind: "suffix", suffix: input.toLowerCase() });
  const [, method, rest] = /^did:([a-z0-9]+):([\w.:%-]+)$/i.exec(input) ?? [];
  if (method === undefined || rest === undefined) return failure("domainFormat");
  return success({ kind: "did", did: `did:${method.toLowerCase()}:${rest}` });
}

export function readQuestion(input: string): Entry<string> {
  return Array.from(input).length >= MIN_QUESTION ? success(input) : failure("questionTooShort");
}
