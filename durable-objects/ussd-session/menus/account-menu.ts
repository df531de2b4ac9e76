/** The account menu: log in or create an account. It also shows the reason for a refused login. */
import { setup } from "xstate";
import { line, menu, option, type Screen } from "../screen/screen.ts";
import type { Dictionary } from "../texts/dictionary.ts";
import { chose, menuTransitions, menuTypes, outcomeActions, type WithMessage } from "./menu.ts";

const KEYS = { logIn: "1", create: "2" } as const;

export type AccountMenuChoice = "LOGIN_SELECTED" | "CREATE_SELECTED" | "BACK";

interface AccountMenuContext extends WithMessage {
  readonly outcome: AccountMenuChoice;
}

/** Compact below a long message. */
function accountMenuScreen({ texts }: Dictionary): Screen {
  const options = [
    line(`${texts.accountMenu}\n`),
    line(texts.accountQuestion),
    option(KEYS.logIn, texts.yesLogIn),
    option(KEYS.create, texts.noCreate),
  ];
  const compact = [line(texts.accountMenu), option(KEYS.logIn, texts.logIn), option(KEYS.create, texts.createAccount)];
  return menu("A", options, { compact });
}

export function createAccountMenuMachine() {
  return setup({
    types: menuTypes<{ context: AccountMenuContext; input: WithMessage; output: AccountMenuChoice }>(),
    actions: outcomeActions<AccountMenuContext>(),
    guards: { chose },
  }).createMachine({
    id: "accountMenu",
    context: ({ input }) => ({ outcome: "BACK", message: input.message }),
    initial: "accountMenu",
    on: menuTransitions,
    states: {
      accountMenu: {
        meta: { input: "menu", screen: accountMenuScreen },
        on: {
          ENTER: [
            {
              guard: { type: "chose", params: KEYS.logIn },
              target: "done",
              actions: { type: "end", params: "LOGIN_SELECTED" },
            },
            {
              guard: { type: "chose", params: KEYS.create },
              target: "done",
              actions: { type: "end", params: "CREATE_SELECTED" },
            },
          ],
          BACK: "done",
        },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
