/** The customer's own domains: the list, one of them, its DID (contract/ussd.md section 5.7). */
import { assign, fromPromise, setup } from "xstate";
import type { Effects, Lookup } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Login } from "../ports.ts";
import {
  DOMAIN_KEYS,
  domainDidScreen,
  myDomainScreen,
  myDomainsScreen,
  NO_DOMAIN,
  type DomainView,
} from "../screens/domains.ts";
import { waitScreen } from "../screens/services.ts";
import {
  chose,
  everyStep,
  machineTypes,
  pickedFrom,
  typed,
  whileWaiting,
  type Noticed,
  type PhoneEvent,
} from "./phone-event.ts";
import { lookupOutput, type ServiceOutput } from "./service-output.ts";
import type { Steps } from "./step.ts";

export interface MyDomainsInput {
  readonly login: Login;
}

interface MyDomainsContext extends MyDomainsInput, Noticed {
  readonly domains: readonly DomainView[];
  readonly picked: DomainView;
  readonly outcome: ServiceOutput;
}

export const myDomainsSteps: Steps<MyDomainsContext> = {
  pending: { takes: "menu", screen: waitScreen },
  list: { takes: "menu", screen: (dictionary, { domains }) => myDomainsScreen(dictionary, domains), keepsPage: true },
  detail: { takes: "menu", screen: (dictionary, { picked }) => myDomainScreen(dictionary, picked) },
  did: { takes: "menu", screen: (dictionary, { picked }) => domainDidScreen(dictionary, picked) },
};

export function createMyDomainsMachine(effects: Pick<Effects, "myDomains">) {
  return setup({
    types: machineTypes as {
      context: MyDomainsContext;
      input: MyDomainsInput;
      events: PhoneEvent;
      output: ServiceOutput;
      tags: "pending";
    },
    actors: { look: fromPromise<Lookup<readonly DomainView[]>, Login>(({ input }) => effects.myDomains(input)) },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: ServiceOutput) => ({ outcome })),
    },
    guards: {
      chose,
      picks: ({ context, event }) => pickedFrom(context.domains, typed(event)) !== undefined,
    },
  }).createMachine({
    id: "myDomains",
    context: ({ input }) => ({ ...input, domains: [], picked: NO_DOMAIN, outcome: { event: "DONE" } }),
    initial: "pending",
    on: everyStep,
    states: {
      pending: {
        tags: "pending",
        invoke: {
          src: "look",
          input: ({ context }) => context.login,
          onDone: [
            {
              guard: ({ event }) => event.output?.ok === true,
              target: "list",
              actions: assign({ domains: ({ event }) => (event.output?.ok ? event.output.value : []) }),
            },
            { target: "done", actions: { type: "end", params: ({ event }) => lookupOutput(event.output) } },
          ],
        },
        on: { ...whileWaiting, BACK: "done" },
      },
      list: {
        on: {
          ENTER: {
            guard: "picks",
            target: "detail",
            actions: assign({
              picked: ({ context, event }) => pickedFrom(context.domains, event.value) ?? context.picked,
            }),
          },
          BACK: "done",
        },
      },
      detail: {
        on: { ENTER: { guard: { type: "chose", params: DOMAIN_KEYS.showDid }, target: "did" }, BACK: "list" },
      },
      did: { on: { BACK: "detail" } },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
