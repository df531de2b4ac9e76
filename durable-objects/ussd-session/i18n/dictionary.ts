/**
 * What a language has to say: the shape of a dictionary and how its placeholders are filled. English is the pattern;
 * a language that lacks a key does not compile, one that lacks a placeholder or a fit fails screens/every-screen.test.ts.
 */
import { foldToGsm7 } from "../characters/folding.ts";
import type { english } from "./en.ts";

export type TextKey = keyof typeof english.texts;
export type ReasonKey = keyof typeof english.reasons;
/** The registry's verification axis. */
export type VerificationState = keyof typeof english.verification;
export type InfoTopic = keyof typeof english.info;
export type NoticeTopic = keyof typeof english.notices;

/** Why an input was refused, or what has just happened; the short form stands where the long one does not fit. */
export interface Reason {
  readonly long: string;
  readonly short: string;
}

export interface Words {
  readonly texts: Readonly<Record<TextKey, string>>;
  readonly reasons: Readonly<Record<ReasonKey, Reason>>;
  readonly verification: Readonly<Record<VerificationState, string>>;
  readonly info: Readonly<Record<InfoTopic, string>>;
  readonly notices: Readonly<Record<NoticeTopic, string>>;
}

/** Words as a phone shows them. */
export interface Dictionary extends Words {
  readonly language: string;
}

/** A reason with what stands in its placeholders. Plain data: it is kept with the session until it was shown. */
export interface Notice {
  readonly reason: ReasonKey;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** The languages write with their own accents; phones get them folded into the GSM alphabet. */
export function dictionaryFrom(language: string, words: Words): Dictionary {
  return {
    language,
    texts: folded(words.texts),
    reasons: foldedReasons(words.reasons),
    verification: folded(words.verification),
    info: folded(words.info),
    notices: folded(words.notices),
  };
}

/**
 * The text with `{name}` replaced, and `{name|one|many}` by the word that goes with the number: the first one for 1. A
 * placeholder without a value stays, which the tests do not let pass.
 */
export function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return one === undefined ? String(value) : ((value === 1 ? one : many) ?? "");
  });
}

const PLACEHOLDER = /\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g;

function folded<Key extends string>(entries: Readonly<Record<Key, string>>): Readonly<Record<Key, string>> {
  return mapped(entries, foldToGsm7);
}

function foldedReasons<Key extends string>(entries: Readonly<Record<Key, Reason>>): Readonly<Record<Key, Reason>> {
  return mapped(entries, ({ long, short }) => ({ long: foldToGsm7(long), short: foldToGsm7(short) }));
}

function mapped<Key extends string, Value>(
  entries: Readonly<Record<Key, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<Key, Value>> {
  const pairs = Object.entries<Value>(entries).map(([key, value]) => [key, change(value)]);
  return Object.fromEntries(pairs) as Record<Key, Value>;
}
