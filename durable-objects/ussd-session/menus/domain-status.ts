/** The status of any domain, looked up by its DID or its last characters. */
import { assign, setup } from "xstate";
import { readDomainQuery, type DomainQuery } from "../input/typed-input.ts";
import type { Login } from "../ports.ts";
import { line, menu, option, prompt, type Screen } from "../screen/screen.ts";
import type { Dictionary } from "../texts/dictionary.ts";
import { domainLines, domainOptions, NO_DOMAIN, PICKED_DOMAINS, type DomainView } from "./domain-view.ts";
import type { Effects, Lookup } from "./effects.ts";
import {
  chose,
  effect,
  lookupOutput,
  menuTransitions,
  menuTypes,
  outcomeActions,
  pickedFrom,
  typed,
  waiting,
  whileWaiting,
  type ServiceOutput,
  type WithMessage,
} from "./menu.ts";

const CHECK_ANOTHER_KEY = "1";

interface DomainStatusInput {
  readonly login: Login;
}

interface DomainStatusContext extends DomainStatusInput, WithMessage {
  readonly query: DomainQuery;
  readonly matches: readonly DomainView[];
  readonly outcome: ServiceOutput;
}

const NO_QUERY: DomainQuery = { kind: "did", did: "" };

function queryScreen({ texts }: Dictionary): Screen {
  return prompt("DQ", [line(texts.domainPrompt)]);
}

/** Shown if several domains match the typed characters. */
function pickScreen(dictionary: Dictionary, { matches }: DomainStatusContext): Screen {
  const options = domainOptions(dictionary, matches.slice(0, PICKED_DOMAINS));
  return menu("DP", options, { title: dictionary.texts.severalDomains });
}

function resultScreen(dictionary: Dictionary, { matches: [domain = NO_DOMAIN] }: DomainStatusContext): Screen {
  const blocks = [...domainLines(dictionary, domain), option(CHECK_ANOTHER_KEY, dictionary.texts.checkAnother)];
  return menu("DR", blocks, { informs: true });
}

type Found = Lookup<readonly DomainView[]>;

export function createDomainStatusMachine(effects: Pick<Effects, "findDomains">) {
  return setup({
    types: menuTypes<{ context: DomainStatusContext; input: DomainStatusInput; output: ServiceOutput }>(),
    actors: { look: effect(effects.findDomains) },
    actions: {
      ...outcomeActions<DomainStatusContext>(),
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
    on: menuTransitions,
    states: {
      ask: {
        meta: { input: "did", screen: queryScreen },
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
            { actions: { type: "showMessage", params: { key: "domainFormat" } } },
          ],
          BACK: "done",
        },
      },
      pending: {
        ...waiting,
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
                type: "showMessage",
                params: ({ event: { output } }) => lookupOutput(output).message ?? { key: "noSuchDomain" },
              },
            },
            { target: "done", actions: { type: "end", params: ({ event }) => lookupOutput(event.output) } },
          ],
        },
        on: { ...whileWaiting, BACK: "ask" },
      },
      pick: {
        meta: { input: "menu", screen: pickScreen },
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
        meta: { input: "menu", screen: resultScreen },
        on: { ENTER: { guard: { type: "chose", params: CHECK_ANOTHER_KEY }, target: "ask" }, BACK: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}

function matchesOf(found: Found): readonly DomainView[] {
  return found?.ok ? found.value : [];
}
