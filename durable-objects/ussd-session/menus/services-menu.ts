/**
 * The services of a customer who is logged in, as states of the root menu: each is a child menu that returns to the
 * menu of services, possibly with a message. A revoked login leads back to the first screen.
 */
import { assign } from "xstate";
import { line, menu, option, type Screen } from "../screen/screen.ts";
import type { Dictionary } from "../texts/dictionary.ts";
import { chose, waiting, whileWaiting, type ServiceOutput } from "./menu.ts";
import { childMenu, NOBODY, ownQuestion, type createRootSetup } from "./root-setup.ts";

const KEYS = { myDomains: "1", domainStatus: "2", askOracle: "3", changePin: "4", language: "5" } as const;
const DISCARD_KEYS = { ask: "1" } as const;

function servicesScreen({ texts }: Dictionary): Screen {
  return menu("SV", [
    line(texts.services),
    option(KEYS.myDomains, texts.myDomains),
    option(KEYS.domainStatus, texts.checkDomain),
    option(KEYS.askOracle, texts.askOracle),
    option(KEYS.changePin, texts.changePin),
    option(KEYS.language, texts.language),
  ]);
}

/** Shown before a question replaces an account form that was offered to continue with. */
function discardFormScreen({ texts }: Dictionary): Screen {
  return menu("DF", [line(texts.discardForm), option(DISCARD_KEYS.ask, texts.askOracle)]);
}

interface Ended<Output> {
  readonly event: { readonly output: Output };
}

/** First the check for a revoked login. */
const loggedOut = {
  guard: ({ event }: Ended<{ readonly event: string }>) => event.output.event === "LOGGED_OUT",
  target: "preMenu",
  actions: "dropLogin",
} as const;
/** Back to the menu of services, with a message if there was nothing to show. */
const backToServices = {
  target: "userMainMenu",
  actions: { type: "showMessage", params: ({ event }: Ended<ServiceOutput>) => event.output.message },
} as const;

/** States of the root in which a caller uses services: their login is checked at each step. */
export const SERVICE_STATES: ReadonlySet<string> = new Set<
  Exclude<keyof ReturnType<typeof serviceStates>, "openingServices">
>(["userMainMenu", "discardForm", "myDomains", "domainStatus", "askOracle", "changePin", "language"]);

export function serviceStates(root: ReturnType<typeof createRootSetup>) {
  return {
    /** The login may have ended elsewhere: by a change of the PIN on another phone, or by an operator. */
    openingServices: root.createStateConfig({
      ...waiting,
      invoke: {
        src: "checkLogin",
        input: ({ context }) => context.login ?? NOBODY,
        onDone: [
          { guard: ({ event }) => event.output, target: "userMainMenu" },
          { target: "preMenu", actions: "dropLogin" },
        ],
        onError: { target: "preMenu", actions: { type: "showMessage", params: { key: "unavailable" } } },
      },
      on: { ...whileWaiting, BACK: "preMenu" },
    }),
    userMainMenu: root.createStateConfig({
      meta: { input: "menu", screen: servicesScreen },
      on: {
        ENTER: [
          { guard: { type: "choseService", params: KEYS.myDomains }, target: "myDomains" },
          { guard: { type: "choseService", params: KEYS.domainStatus }, target: "domainStatus" },
          { guard: { type: "leavesForm", params: KEYS.askOracle }, target: "discardForm" },
          { guard: { type: "choseService", params: KEYS.askOracle }, target: "askOracle" },
          { guard: { type: "choseService", params: KEYS.changePin }, target: "changePin" },
          { guard: { type: "choseService", params: KEYS.language }, target: "language" },
        ],
        BACK: "preMenu",
      },
    }),
    /** A session keeps one draft: a question replaces the form. */
    discardForm: root.createStateConfig({
      meta: { input: "menu", screen: discardFormScreen },
      on: {
        ENTER: {
          guard: { type: "choseService", params: DISCARD_KEYS.ask },
          target: "askOracle",
          actions: "forgetCreation",
        },
        BACK: "userMainMenu",
      },
    }),
    myDomains: root.createStateConfig({
      ...childMenu,
      invoke: {
        id: "child",
        src: "myDomains",
        input: ({ context }) => ({ login: context.login ?? NOBODY }),
        onDone: [loggedOut, backToServices],
        onError: "error",
      },
    }),
    domainStatus: root.createStateConfig({
      ...childMenu,
      invoke: {
        id: "child",
        src: "domainStatus",
        input: ({ context }) => ({ login: context.login ?? NOBODY }),
        onDone: [loggedOut, backToServices],
        onError: "error",
      },
    }),
    askOracle: root.createStateConfig({
      ...childMenu,
      invoke: {
        id: "child",
        src: "askOracle",
        input: ({ context, event }) => ({
          login: context.login ?? NOBODY,
          language: context.language,
          key: `${context.seed}-q${context.entered}`,
          // The menu of services asks a new question; the earlier question stays offered until then.
          draft: chose({ event }, KEYS.askOracle) ? null : ownQuestion(context),
        }),
        onDone: [
          loggedOut,
          {
            target: "userMainMenu",
            actions: [
              { type: "showMessage", params: ({ event }) => event.output.message },
              assign({ draft: ({ event }) => event.output.draft }),
            ],
          },
        ],
        onError: "error",
      },
    }),
    changePin: root.createStateConfig({
      ...childMenu,
      invoke: {
        id: "child",
        src: "changePin",
        input: ({ context }) => ({
          caller: context.caller,
          login: context.login ?? NOBODY,
          changeKey: `${context.seed}-p${context.entered}`,
          forced: false,
        }),
        onDone: [
          {
            guard: ({ event }) => event.output.event === "PIN_CHANGED",
            target: "userMainMenu",
            actions: [
              assign(({ event: { output } }) => (output.event === "PIN_CHANGED" ? { login: output.login } : {})),
              { type: "showMessage", params: { key: "pinChanged" } },
            ],
          },
          loggedOut,
          {
            guard: ({ event }) => event.output.event === "LOCKED",
            target: "accountMenu",
            actions: [
              "logOut",
              {
                type: "showMessage",
                params: ({ event: { output } }) => (output.event === "LOCKED" ? output.message : undefined),
              },
            ],
          },
          { target: "userMainMenu" },
        ],
        onError: "error",
      },
    }),
    language: root.createStateConfig({
      ...childMenu,
      invoke: {
        id: "child",
        src: "language",
        input: ({ context }) => ({ caller: context.caller, login: context.login ?? NOBODY }),
        onDone: [
          {
            guard: ({ event }) => event.output.event === "LANGUAGE_CHANGED",
            target: "userMainMenu",
            actions: [
              assign(({ event: { output } }) =>
                output.event === "LANGUAGE_CHANGED" ? { language: output.language } : {},
              ),
              { type: "showMessage", params: { key: "languageChanged" } },
            ],
          },
          loggedOut,
          { target: "userMainMenu" },
        ],
        onError: "error",
      },
    }),
  };
}
