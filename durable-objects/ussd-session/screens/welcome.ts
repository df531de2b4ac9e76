/** W, the first screen, and X, the last one (contract/ussd.md section 5.2). */
import { fill, type Dictionary } from "../i18n/dictionary.ts";
import { line, menu, option, type Screen } from "./screen.ts";

export interface WelcomeData {
  readonly app: string;
  /** Logged in. */
  readonly services: boolean;
  /** Something was left unfinished. */
  readonly draft: boolean;
}

export const WELCOME_KEYS = { knowMore: "1", accountMenu: "2", services: "3", resume: "9" } as const;

export function welcomeScreen({ texts }: Dictionary, { app, services, draft }: WelcomeData): Screen {
  const blocks = [
    line(fill(texts.welcome, { app })),
    option(WELCOME_KEYS.knowMore, texts.knowMore),
    option(WELCOME_KEYS.accountMenu, texts.accountMenu),
    ...(services ? [option(WELCOME_KEYS.services, texts.services)] : []),
    ...(draft ? [option(WELCOME_KEYS.resume, texts.resume)] : []),
  ];
  return menu("W", blocks, { back: false, exit: "always" });
}

export function goodbyeScreen({ texts }: Dictionary, { app }: { readonly app: string }): Screen {
  return { id: "X", end: true, blocks: [line(fill(texts.goodbye, { app }))], back: false, exit: "never" };
}
