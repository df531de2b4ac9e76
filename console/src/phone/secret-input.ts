/**
 * Which parts of a typed text are secret. The service does not say, so the rule errs on the safe side: what is typed at a
 * prompt for a PIN, in any of its languages, and every number that may be one, wherever it stands.
 */

/** Stands for a PIN wherever a request is shown or copied. */
export const MASK = "_PIN_";

/** Keys that move through the menus, even at a prompt for a PIN. */
const KEYS = new Set(["", "0", "00", "98", "*", "**", "#", "back", "exit", "cancel"]);
/** Characters: what is shorter is in every other text. */
const SHORTEST_WORD = 4;
const ONLY_DIGITS = /^\d{4,6}$/;
/** A separate number: not in a Customer ID, a phone number or an address. */
const PIN = /(?<![\p{L}\p{N}])\d{4,6}(?![\p{L}\p{N}])/gu;

/** A prompt has no numbered options; menus such as "4. Change PIN" do. */
export function asksForPin(screen: string): boolean {
  return /\bPIN\b/.test(screen) && !/^[1-9]\d?\. /m.test(screen);
}

/** @param screen the one that the text was typed at, without prefix; empty for what is dialled. */
export function withoutSecrets(input: string, screen: string, substitute: (secret: string) => string): string {
  if (!asksForPin(screen)) return input.replace(PIN, substitute);
  const typed = input.trim();
  return KEYS.has(typed.toLowerCase()) ? input : substitute(typed);
}

export interface Secrets {
  /** Takes the secrets out of a typed text, and remembers them. */
  readonly typed: (input: string, screen: string) => string;
  /** Takes out of what somebody else wrote the numbers that were typed as secrets. */
  readonly shown: (text: string) => string;
}

/** @param nameOf what stands for a secret, counted from 0; the same for the same one. */
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
