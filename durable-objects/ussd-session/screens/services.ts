/** SV, what a logged-in customer can do, and the wait screen of every slow lookup (contract/ussd.md sections 5.1 and 5.7). */
import type { Dictionary } from "../i18n/dictionary.ts";
import { line, menu, option, type Screen } from "./screen.ts";

export const SERVICE_KEYS = {
  myDomains: "1",
  domainStatus: "2",
  askOracle: "3",
  changePin: "4",
  language: "5",
} as const;
export const CHECK_AGAIN_KEY = "1";

export function servicesScreen({ texts }: Dictionary): Screen {
  return menu("SV", [
    line(texts.services),
    option(SERVICE_KEYS.myDomains, texts.myDomains),
    option(SERVICE_KEYS.domainStatus, texts.checkDomain),
    option(SERVICE_KEYS.askOracle, texts.askOracle),
    option(SERVICE_KEYS.changePin, texts.changePin),
    option(SERVICE_KEYS.language, texts.language),
  ]);
}

export function waitScreen({ texts }: Dictionary): Screen {
  return menu("WAIT", [line(texts.wait), option(CHECK_AGAIN_KEY, texts.checkAgain)]);
}

export const DISCARD_KEYS = { ask: "1" } as const;

/** Before a question takes the place of an account form that was offered to continue with. */
export function discardFormScreen({ texts }: Dictionary): Screen {
  return menu("DF", [line(texts.discardForm), option(DISCARD_KEYS.ask, texts.askOracle)]);
}
