/** N, E, P, C, G and K: name, e-mail, PIN twice, waiting, done (contract/ussd.md section 5.6). */
import { fill, type Dictionary } from "../i18n/dictionary.ts";
import { SKIP_KEY } from "../input/input-keys.ts";
import { line, menu, option, prompt, type Screen } from "./screen.ts";

const CREATION_KEYS = { viewCustomerId: "1", accountMenu: "1" } as const;

export function nameScreen({ texts }: Dictionary, { app }: { readonly app: string }): Screen {
  return prompt("N", [line(fill(texts.welcome, { app })), line(texts.namePrompt)]);
}

export function emailScreen({ texts }: Dictionary): Screen {
  return prompt("E", [line(texts.emailPrompt), option(SKIP_KEY, texts.skip)]);
}

export function newAccountPinScreen({ texts }: Dictionary): Screen {
  return prompt("P", [line(texts.createPinPrompt)]);
}

export function confirmAccountPinScreen({ texts }: Dictionary): Screen {
  return prompt("C", [line(texts.confirmPinPrompt)]);
}

/** Only when making the account takes longer than a reply may. */
export function creatingAccountScreen({ texts }: Dictionary): Screen {
  const blocks = [line(texts.creating), option(CREATION_KEYS.viewCustomerId, texts.viewCustomerId)];
  return menu("G", blocks, { back: false });
}

export function accountCreatedScreen({ texts }: Dictionary, { customerId }: { readonly customerId: string }): Screen {
  const blocks = [
    line(texts.created),
    line(fill(texts.yourCustomerId, { id: customerId })),
    line(texts.saveCustomerId),
    option(CREATION_KEYS.accountMenu, texts.backToAccountMenu),
  ];
  return menu("K", blocks, { back: false });
}
