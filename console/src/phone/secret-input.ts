/**
 * Which parts of a typed text are secret. The service does not say, so the rule errs on the safe side: everything typed at a PIN
 * prompt, in any of its languages, and every number that may be a PIN, anywhere.
 */

/** Replaces a PIN wherever a request is shown or copied. */
export const MASK = "_PIN_";

/** Keys for navigating the menus, even at a PIN prompt. */
const KEYS = new Set(["", "0", "00", "98", "*", "**", "#", "back", "exit", "cancel"]);
/** Minimum length in characters: a shorter text would occur everywhere. */
const SHORTEST_WORD = 4;
const ONLY_DIGITS = /^\d{4,6}$/;
/** A separate number: not part of a Customer ID, a phone number or an address. */
const PIN = /(?<![\p{L}\p{N}])\d{4,6}(?![\p{L}\p{N}])/gu;

/** A prompt has no numbered options; menus such as "4. Change PIN" do. */
export function asksForPin(screen: string): boolean {
  return /\bPIN\b/.test(screen) && !/^[1-9]\d?\. /m.test(screen);
}

/** @param screen at which the text was typed, without prefix; empty for dialled text. */
export function withoutSecrets(input: string, screen: string, substitute: (secret: string) => string): string {
  if (!asksForPin(screen)) return input.replace(PIN, substitute);
  const typed = input.trim();
  return KEYS.has(typed.toLowerCase()) ? input : substitute(typed);
}

export interface Secrets {
  /** Masks the secrets in a typed text, and remembers them. */
  readonly typed: (input: string, screen: string) => string;
  /** Masks remembered secrets in received text. */
  readonly shown: (text: string) => string;
}

/** @param nameOf the replacement of a secret, numbered from 0 by value. */
export function rememberSecrets(nameOf: (index: number) => string): Secrets {
  const names = new Map<string, string>();
  const wordsIn = (text: string): string => {
    let rest = text;
    for (const [secret, name] of names)
      if (secret.length >= SHORTEST_WORD && !ONLY_DIGITS.test(secret)) rest = rest.replaceAll(secret, () => name);
    return rest;
  };
  return {
    typed: (input, screen) =>
      withoutSecrets(input, screen, (secret) => {
        const name = names.get(secret) ?? nameOf(names.size);
        names.set(secret, name);
        return name;
      }),
    shown: (text) => wordsIn(text.replace(PIN, (number) => names.get(number) ?? number)),
  };
}
