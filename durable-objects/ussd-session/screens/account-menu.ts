/** A, the account menu, which becomes compact beneath a long reason (contract/ussd.md sections 5.4 and 5.5). */
import type { Dictionary } from "../i18n/dictionary.ts";
import { line, menu, option, type Screen } from "./screen.ts";

export const ACCOUNT_MENU_KEYS = { logIn: "1", create: "2" } as const;

export function accountMenuScreen({ texts }: Dictionary): Screen {
  return menu(
    "A",
    [
      line(`${texts.accountMenu}\n`),
      line(texts.accountQuestion),
      option(ACCOUNT_MENU_KEYS.logIn, texts.yesLogIn),
      option(ACCOUNT_MENU_KEYS.create, texts.noCreate),
    ],
    {
      compact: [
        line(texts.accountMenu),
        option(ACCOUNT_MENU_KEYS.logIn, texts.logIn),
        option(ACCOUNT_MENU_KEYS.create, texts.createAccount),
      ],
    },
  );
}
