/**
 * The services of who is logged in (contract/ussd.md section 5.7), as states of the parent machine: each is a part that
 * comes back to the menu of services, perhaps with a reason. A login that counts no more leads back to the first screen.
 */
import { assign } from "xstate";
import { SERVICE_KEYS } from "../screens/services.ts";
import { chose } from "./phone-event.ts";
import type { ServiceOutput } from "./service-output.ts";
import { forwarded, NOBODY, ownQuestion, type createUssdSetup } from "./ussd-setup.ts";

interface Left<Output> {
  readonly event: { readonly output: Output };
}

/** First of all: a login that counts no more. */
const loggedOut = {
  guard: ({ event }: Left<{ readonly event: string }>) => event.output.event === "LOGGED_OUT",
  target: "preMenu",
  actions: "dropLogin",
} as const;
/** Back to the menu of services, with the reason if there was nothing to show. */
const toldWhy = {
  target: "userMainMenu",
  actions: { type: "tell", params: ({ event }: Left<ServiceOutput>) => event.output.notice },
} as const;

export function serviceStates(parent: ReturnType<typeof createUssdSetup>) {
  return {
    myDomains: parent.createStateConfig({
      entry: "enterPart",
      invoke: {
        id: "part",
        src: "myDomains",
        input: ({ context }) => ({ login: context.login ?? NOBODY }),
        onDone: [loggedOut, toldWhy],
        onError: "error",
      },
      on: forwarded,
    }),
    domainStatus: parent.createStateConfig({
      entry: "enterPart",
      invoke: {
        id: "part",
        src: "domainStatus",
        input: ({ context }) => ({ login: context.login ?? NOBODY }),
        onDone: [loggedOut, toldWhy],
        onError: "error",
      },
      on: forwarded,
    }),
    askOracle: parent.createStateConfig({
      entry: "enterPart",
      invoke: {
        id: "part",
        src: "askOracle",
        input: ({ context, event }) => ({
          login: context.login ?? NOBODY,
          language: context.language,
          key: `${context.seed}-q${context.entered}`,
          // From the menu of services a new question is asked; the one that was left stays offered until then.
          draft: chose({ event }, SERVICE_KEYS.askOracle) ? null : ownQuestion(context),
        }),
        onDone: [
          loggedOut,
          {
            target: "userMainMenu",
            actions: [
              { type: "tell", params: ({ event }) => event.output.notice },
              assign({ draft: ({ event }) => event.output.draft }),
            ],
          },
        ],
        onError: "error",
      },
      on: forwarded,
    }),
    changePin: parent.createStateConfig({
      entry: "enterPart",
      invoke: {
        id: "part",
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
              { type: "tell", params: { reason: "pinChanged" } },
            ],
          },
          loggedOut,
          {
            guard: ({ event }) => event.output.event === "LOCKED",
            target: "accountMenu",
            actions: [
              "logOut",
              {
                type: "tell",
                params: ({ event: { output } }) => (output.event === "LOCKED" ? output.notice : undefined),
              },
            ],
          },
          { target: "userMainMenu" },
        ],
        onError: "error",
      },
      on: forwarded,
    }),
    language: parent.createStateConfig({
      entry: "enterPart",
      invoke: {
        id: "part",
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
              { type: "tell", params: { reason: "languageChanged" } },
            ],
          },
          loggedOut,
          { target: "userMainMenu" },
        ],
        onError: "error",
      },
      on: forwarded,
    }),
  };
}
