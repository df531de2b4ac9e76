/**
 * The parent of all menus (contract/ussd.md section 5.2): which part the caller is in, who is logged in, what can be
 * gone on with. The parts are machines of their own; exit works in all of them, and what fails in any ends the session.
 */
import { assign } from "xstate";
import type { Effects } from "../effects.ts";
import { DISCARD_KEYS, discardFormScreen, SERVICE_KEYS, servicesScreen } from "../screens/services.ts";
import { goodbyeScreen, WELCOME_KEYS, welcomeScreen } from "../screens/welcome.ts";
import { everyStep } from "./phone-event.ts";
import { serviceStates } from "./service-states.ts";
import type { Steps } from "./step.ts";
import { createUssdSetup, forwarded, offeredDraft, type UssdContext } from "./ussd-setup.ts";

/** Grows with every change by which a stored snapshot might mean something else. */
export const MACHINE_VERSION = 1;

export const ussdSteps: Steps<UssdContext> = {
  preMenu: {
    takes: "menu",
    screen: (dictionary, context, { app }) =>
      welcomeScreen(dictionary, { app, services: context.login !== null, draft: offeredDraft(context) !== null }),
  },
  userMainMenu: { takes: "menu", screen: servicesScreen },
  discardForm: { takes: "menu", screen: discardFormScreen },
  closeSession: { takes: "menu", screen: (dictionary, _, { app }) => goodbyeScreen(dictionary, { app }) },
};

export function createUssdMachine(effects: Effects) {
  const parent = createUssdSetup(effects);
  return parent.createMachine({
    id: "ussdMachine",
    context: ({ input }) => ({ ...input, login: null, entered: 0, resuming: false }),
    initial: "idle",
    on: { ...everyStep, EXIT: ".closeSession" },
    states: {
      idle: { on: { DIAL: "preMenu" } },
      preMenu: {
        on: {
          ENTER: [
            { guard: { type: "chose", params: WELCOME_KEYS.knowMore }, target: "knowMoreService" },
            { guard: { type: "chose", params: WELCOME_KEYS.accountMenu }, target: "accountMenu" },
            { guard: { type: "choseService", params: WELCOME_KEYS.services }, target: "userMainMenu" },
            { guard: "resumesAccount", target: "accountCreation" },
            { guard: "resumesQuestion", target: "askOracle" },
            {
              guard: "resumesAfterLogin",
              target: "login",
              actions: [assign({ resuming: true }), { type: "tell", params: { reason: "loginFirst" } }],
            },
          ],
          BACK: { actions: { type: "tell", params: { reason: "invalidSelection" } } },
        },
      },
      knowMoreService: {
        entry: "enterPart",
        invoke: {
          id: "part",
          src: "knowMoreService",
          input: ({ context }) => ({
            caller: context.caller,
            language: context.language,
            sms: context.sms,
            key: `${context.seed}-i${context.entered}`,
          }),
          onDone: "preMenu",
          onError: "error",
        },
        on: forwarded,
      },
      accountMenu: {
        entry: "enterPart",
        invoke: {
          id: "part",
          src: "accountMenu",
          input: ({ context }) => ({ notice: context.notice }),
          onDone: [
            { guard: ({ event }) => event.output === "LOGIN_SELECTED", target: "login", actions: "forget" },
            {
              guard: ({ context, event }) => event.output === "CREATE_SELECTED" && (context.accountsLeft ?? 1) < 1,
              target: "accountMenu",
              reenter: true,
              actions: { type: "tell", params: { reason: "tooManyAccounts" } },
            },
            { guard: ({ event }) => event.output === "CREATE_SELECTED", target: "accountCreation", actions: "forget" },
            { target: "preMenu", actions: "forget" },
          ],
          onError: "error",
        },
        on: forwarded,
      },
      login: {
        entry: "enterPart",
        invoke: {
          id: "part",
          src: "login",
          input: ({ context }) => ({
            caller: context.caller,
            changeKey: `${context.seed}-l${context.entered}`,
            notice: context.notice,
          }),
          onDone: [
            { guard: "reachesAnswer", target: "askOracle", actions: assign({ resuming: false }) },
            {
              guard: ({ event }) => event.output.event === "DONE",
              target: "preMenu",
              actions: [assign({ resuming: false }), "forget"],
            },
            {
              guard: ({ event }) => event.output.event === "LOGGED_OUT",
              target: "accountMenu",
              actions: [assign({ resuming: false }), "logOut", { type: "tell", params: { reason: "loginAgain" } }],
            },
            {
              target: "accountMenu",
              actions: [
                assign({ resuming: false }),
                {
                  type: "tell",
                  params: ({ event: { output } }) => (output.event === "LOCKED" ? output.notice : undefined),
                },
              ],
            },
          ],
          onError: "error",
        },
        on: {
          ...forwarded,
          LOGIN_SUCCESS: { actions: { type: "logIn", params: ({ event }) => event } },
        },
      },
      accountCreation: {
        entry: "enterPart",
        invoke: {
          id: "part",
          src: "accountCreation",
          input: ({ context, event }) => ({
            caller: context.caller,
            language: context.language,
            creationKey: `${context.seed}-c${context.entered}`,
            // Only what was asked for; a new account begins with nothing.
            draft: isResume(event) && context.draft?.kind === "creation" ? context.draft : null,
          }),
          onDone: [
            {
              guard: ({ event }) => event.output.event === "ACCOUNT_CREATED",
              target: "accountMenu",
              actions: ["forget", "forgetCreation", "countAccount"],
            },
            { target: "accountMenu", actions: { type: "tell", params: ({ event }) => event.output.notice } },
          ],
          onError: "error",
        },
        on: forwarded,
      },
      userMainMenu: {
        on: {
          ENTER: [
            { guard: { type: "choseService", params: SERVICE_KEYS.myDomains }, target: "myDomains" },
            { guard: { type: "choseService", params: SERVICE_KEYS.domainStatus }, target: "domainStatus" },
            { guard: { type: "leavesForm", params: SERVICE_KEYS.askOracle }, target: "discardForm" },
            { guard: { type: "choseService", params: SERVICE_KEYS.askOracle }, target: "askOracle" },
            { guard: { type: "choseService", params: SERVICE_KEYS.changePin }, target: "changePin" },
            { guard: { type: "choseService", params: SERVICE_KEYS.language }, target: "language" },
          ],
          BACK: "preMenu",
        },
      },
      /** A session leaves one thing to continue with: a question takes the place of the form. */
      discardForm: {
        on: {
          ENTER: {
            guard: { type: "choseService", params: DISCARD_KEYS.ask },
            target: "askOracle",
            actions: "forgetCreation",
          },
          BACK: "userMainMenu",
        },
      },
      ...serviceStates(parent),
      error: { type: "final" },
      closeSession: { type: "final" },
    },
  });
}

/** The way into account creation that goes on with a draft is the key on the first screen. */
function isResume(event: { readonly type: string }): boolean {
  return event.type === "ENTER";
}
