/** The status of any domain, asked for by its DID or the end of it (contract/ussd.md section 5.7). */
import { assign, fromPromise, setup } from "xstate";
import type { Effects, Lookup } from "../effects.ts";
import { readDomainQuery, type DomainQuery } from "../input/entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Login } from "../ports.ts";
import {
  DOMAIN_KEYS,
  domainQueryScreen,
  domainStatusScreen,
  NO_DOMAIN,
  pickDomainScreen,
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

export interface DomainStatusInput {
  readonly login: Login;
}

interface DomainStatusContext extends DomainStatusInput, Noticed {
  readonly query: DomainQuery;
  readonly matches: readonly DomainView[];
  readonly outcome: ServiceOutput;
}

const NO_QUERY: DomainQuery = { kind: "did", did: "" };

export const domainStatusSteps: Steps<DomainStatusContext> = {
  ask: { takes: "did", screen: domainQueryScreen },
  pending: { takes: "menu", screen: waitScreen },
  pick: { takes: "menu", screen: (dictionary, { matches }) => pickDomainScreen(dictionary, matches) },
  result: {
    takes: "menu",
    screen: (dictionary, { matches: [domain = NO_DOMAIN] }) => domainStatusScreen(dictionary, domain),
  },
};

type Found = Lookup<readonly DomainView[]>;

export function createDomainStatusMachine(effects: Pick<Effects, "findDomains">) {
  return setup({
    types: machineTypes as {
      context: DomainStatusContext;
      input: DomainStatusInput;
      events: PhoneEvent;
      output: ServiceOutput;
      tags: "pending";
    },
    actors: {
      look: fromPromise<Found, { login: Login; query: DomainQuery }>(({ input }) => effects.findDomains(input)),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: ServiceOutput) => ({ outcome })),
      keepMatches: assign((_, found: Found) => ({ matches: matchesOf(found) })),
    },
    guards: {
      chose,
      isQuery: ({ event }) => readDomainQuery(typed(event)).ok,
      picks: ({ context, event }) => pickedFrom(context.matches, typed(event)) !== undefined,
    },
  }).createMachine({
    id: "domainStatus",
    context: ({ input }) => ({ ...input, query: NO_QUERY, matches: [], outcome: { event: "DONE" } }),
    initial: "ask",
    on: everyStep,
    states: {
      ask: {
        on: {
          ENTER: [
            {
              guard: "isQuery",
              target: "pending",
              actions: assign({
                query: ({ event }) => {
                  const query = readDomainQuery(event.value);
                  return query.ok ? query.value : NO_QUERY;
                },
              }),
            },
            { actions: { type: "tell", params: { reason: "domainFormat" } } },
          ],
          BACK: "done",
        },
      },
      pending: {
        tags: "pending",
        invoke: {
          src: "look",
          input: ({ context: { login, query } }) => ({ login, query }),
          onDone: [
            {
              guard: ({ event }) => matchesOf(event.output).length === 1,
              target: "result",
              actions: { type: "keepMatches", params: ({ event }) => event.output },
            },
            {
              guard: ({ event }) => matchesOf(event.output).length > 1,
              target: "pick",
              actions: { type: "keepMatches", params: ({ event }) => event.output },
            },
            {
              guard: ({ event: { output } }) => output !== null && !output.ok && output.error !== "unavailable",
              target: "ask",
              actions: {
                type: "tell",
                params: ({ event: { output } }) => lookupOutput(output).notice ?? { reason: "noSuchDomain" },
              },
            },
            { target: "done", actions: { type: "end", params: ({ event }) => lookupOutput(event.output) } },
          ],
        },
        on: { ...whileWaiting, BACK: "ask" },
      },
      pick: {
        on: {
          ENTER: {
            guard: "picks",
            target: "result",
            actions: assign({
              matches: ({ context, event }) => [pickedFrom(context.matches, event.value) ?? NO_DOMAIN],
            }),
          },
          BACK: "ask",
        },
      },
      result: {
        on: { ENTER: { guard: { type: "chose", params: DOMAIN_KEYS.checkAnother }, target: "ask" }, BACK: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}

function matchesOf(found: Found): readonly DomainView[] {
  return found?.ok ? found.value : [];
}
