/** The account menu: log in or create an account (contract/ussd.md section 5.4). Also where a refused login is told of. */
import { assign, setup } from "xstate";
import type { Notice } from "../i18n/dictionary.ts";
import { ACCOUNT_MENU_KEYS, accountMenuScreen } from "../screens/account-menu.ts";
import { chose, everyStep, machineTypes, type Noticed, type PhoneEvent } from "./phone-event.ts";
import type { Steps } from "./step.ts";

export type AccountMenuChoice = "LOGIN_SELECTED" | "CREATE_SELECTED" | "BACK";

interface AccountMenuContext extends Noticed {
  readonly choice: AccountMenuChoice;
}

export const accountMenuSteps: Steps<AccountMenuContext> = {
  accountMenu: { takes: "menu", screen: accountMenuScreen },
};

export function createAccountMenuMachine() {
  return setup({
    types: machineTypes as {
      context: AccountMenuContext;
      input: Noticed;
      events: PhoneEvent;
      output: AccountMenuChoice;
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      choose: assign((_, choice: AccountMenuChoice) => ({ choice })),
    },
    guards: { chose },
  }).createMachine({
    id: "accountMenu",
    context: ({ input }) => ({ choice: "BACK", notice: input.notice }),
    initial: "accountMenu",
    on: everyStep,
    states: {
      accountMenu: {
        on: {
          ENTER: [
            {
              guard: { type: "chose", params: ACCOUNT_MENU_KEYS.logIn },
              target: "done",
              actions: { type: "choose", params: "LOGIN_SELECTED" },
            },
            {
              guard: { type: "chose", params: ACCOUNT_MENU_KEYS.create },
              target: "done",
              actions: { type: "choose", params: "CREATE_SELECTED" },
            },
          ],
          BACK: "done",
        },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.choice,
  });
}
