/** L, Q and OK: customer id, PIN, logged in (contract/ussd.md section 5.5). */
import { cut, printableLine } from "../characters/folding.ts";
import { fill, type Dictionary } from "../i18n/dictionary.ts";
import { line, menu, option, prompt, type Screen } from "./screen.ts";

/** Septets of a person's or a domain's name on a screen. */
export const NAME_WIDTH = 24;
/** The one printed key of OK; any other key but exit does the same. */
const CONTINUE_KEY = "1";

export function customerIdScreen({ texts }: Dictionary): Screen {
  return prompt("L", [line(texts.customerIdPrompt)]);
}

export function loginPinScreen({ texts }: Dictionary): Screen {
  return prompt("Q", [line(texts.pinPrompt)]);
}

export interface LoginData {
  readonly name: string;
  readonly customerId: string;
}

export function loginSuccessScreen({ texts }: Dictionary, { name, customerId }: LoginData): Screen {
  const done = [line(fill(texts.loginDone, { id: customerId })), option(CONTINUE_KEY, texts.continue)];
  const greeting = fill(texts.loginWelcome, { name: cut(printableLine(name), NAME_WIDTH) });
  // A name in another script halves the screen; the name is what can be missed.
  return menu("OK", [line(greeting), ...done], { compact: done });
}
