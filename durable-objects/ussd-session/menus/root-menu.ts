/**
 * The root of all menus: the first and the last screen, the current child menu, the login, and the draft. Exit works
 * everywhere, and a failure in any menu ends the session.
 */
import { assign } from "xstate";
import { line, menu, option, type Screen } from "../screen/screen.ts";
import { fill, type Dictionary } from "../texts/dictionary.ts";
import type { Effects } from "./effects.ts";
import { menuTransitions, type ScreenSettings } from "./menu.ts";
import { childMenu, createRootSetup, offeredDraft, WELCOME_KEYS, type RootContext } from "./root-setup.ts";
import { serviceStates } from "./services-menu.ts";

/** Increment it with every change after which a stored snapshot may have another meaning. */
export const MACHINE_VERSION = 3;

function welcomeScreen({ texts }: Dictionary, context: RootContext, { app }: ScreenSettings): Screen {
  const blocks = [
    line(fill(texts.welcome, { app })),
    option(WELCOME_KEYS.knowMore, texts.knowMore),
    option(WELCOME_KEYS.accountMenu, texts.accountMenu),
    ...(context.login === null ? [] : [option(WELCOME_KEYS.services, texts.services)]),
    ...(offeredDraft(context) === null ? [] : [option(WELCOME_KEYS.resume, texts.resume)]),
  ];
  return menu("W", blocks, { back: false, exit: "always" });
}

export function goodbyeScreen({ texts }: Dictionary, _: unknown, { app }: ScreenSettings): Screen {
  return { id: "X", end: true, blocks: [line(fill(texts.goodbye, { app }))], back: false, exit: "never" };
}

export function createRootMachine(effects: Effects) {
  const root = createRootSetup(effects);
  return root.createMachine({
    id: "ussdMachine",
    context: ({ input }) => ({ ...input, login: null, entered: 0, resuming: false }),
    initial: "idle",
    on: { ...menuTransitions, EXIT: ".closeSession", REVOKED: { target: ".preMenu", actions: "dropLogin" } },
    states: {
      // The Customer ID of a new account comes first, until its caller has answered it.
      idle: { on: { DIAL: [{ guard: "hasNewAccount", target: "accountCreation" }, { target: "preMenu" }] } },
      preMenu: {
        meta: { input: "menu", screen: welcomeScreen },
        on: {
          ENTER: [
            { guard: { type: "chose", params: WELCOME_KEYS.knowMore }, target: "knowMoreService" },
            { guard: { type: "chose", params: WELCOME_KEYS.accountMenu }, target: "accountMenu" },
            { guard: { type: "choseService", params: WELCOME_KEYS.services }, target: "openingServices" },
            { guard: "resumesAccount", target: "accountCreation" },
            { guard: "resumesQuestion", target: "askOracle" },
            {
              guard: "resumesAfterLogin",
              target: "login",
              actions: [assign({ resuming: true }), { type: "showMessage", params: { key: "loginFirst" } }],
            },
          ],
          BACK: { actions: { type: "showMessage", params: { key: "invalidSelection" } } },
        },
      },
      knowMoreService: {
        ...childMenu,
        invoke: {
          id: "child",
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
      },
      accountMenu: {
        ...childMenu,
        invoke: {
          id: "child",
          src: "accountMenu",
          input: ({ context }) => ({ message: context.message }),
          onDone: [
            { guard: ({ event }) => event.output === "LOGIN_SELECTED", target: "login", actions: "clearMessage" },
            {
              guard: ({ context, event }) => event.output === "CREATE_SELECTED" && (context.accountsLeft ?? 1) < 1,
              target: "accountMenu",
              reenter: true,
              actions: { type: "showMessage", params: { key: "tooManyAccounts" } },
            },
            {
              guard: ({ event }) => event.output === "CREATE_SELECTED",
              target: "accountCreation",
              actions: "clearMessage",
            },
            { target: "preMenu", actions: "clearMessage" },
          ],
          onError: "error",
        },
      },
      login: {
        ...childMenu,
        invoke: {
          id: "child",
          src: "login",
          input: ({ context }) => ({
            caller: context.caller,
            changeKey: `${context.seed}-l${context.entered}`,
            message: context.message,
          }),
          onDone: [
            { guard: "reachesAnswer", target: "askOracle", actions: assign({ resuming: false }) },
            {
              guard: ({ event }) => event.output.event === "DONE",
              target: "preMenu",
              actions: [assign({ resuming: false }), "clearMessage"],
            },
            {
              guard: ({ event }) => event.output.event === "LOGGED_OUT",
              target: "accountMenu",
              actions: [assign({ resuming: false }), "logOut", { type: "showMessage", params: { key: "loginAgain" } }],
            },
            {
              target: "accountMenu",
              actions: [
                assign({ resuming: false }),
                {
                  type: "showMessage",
                  params: ({ event: { output } }) => (output.event === "LOCKED" ? output.message : undefined),
                },
              ],
            },
          ],
          onError: "error",
        },
        on: {
          ...childMenu.on,
          LOGIN_SUCCESS: { actions: { type: "logIn", params: ({ event }) => event } },
        },
      },
      accountCreation: {
        ...childMenu,
        invoke: {
          id: "child",
          src: "accountCreation",
          input: ({ context, event }) => ({
            caller: context.caller,
            language: context.language,
            creationKey: `${context.seed}-c${context.entered}`,
            // Only the requested draft; a new account starts empty.
            draft: resumesCreation(event) && context.draft?.kind !== "question" ? context.draft : null,
          }),
          onDone: [
            {
              guard: ({ event }) => event.output.event === "ACCOUNT_CREATED",
              target: "accountMenu",
              actions: ["clearMessage", "forgetCreation", "countAccount"],
            },
            {
              guard: ({ event }) => event.output.event === "SHOWN_AGAIN",
              target: "accountMenu",
              actions: ["clearMessage", "forgetCreation"],
            },
            { target: "accountMenu", actions: { type: "showMessage", params: ({ event }) => event.output.message } },
          ],
          onError: "error",
        },
      },
      ...serviceStates(root),
      error: { type: "final" },
      closeSession: { type: "final", meta: { input: "menu", screen: goodbyeScreen } },
    },
  });
}

/** Only a dial and the key on the first screen lead into account creation with a draft. */
function resumesCreation(event: { readonly type: string }): boolean {
  return event.type === "ENTER" || event.type === "DIAL";
}
