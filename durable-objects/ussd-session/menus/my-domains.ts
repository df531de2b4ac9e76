/** The customer's own domains: the list, one of them, its DID. */
import { assign, setup } from "xstate";
import type { Login } from "../ports.ts";
import { menu, option, prompt, type Screen } from "../screen/screen.ts";
import { printableLine } from "../texts/characters.ts";
import type { Dictionary } from "../texts/dictionary.ts";
import { domainLines, domainOptions, LISTED_DOMAINS, NO_DOMAIN, type DomainView } from "./domain-view.ts";
import type { Effects } from "./effects.ts";
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

const SHOW_DID_KEY = "1";

interface MyDomainsInput {
  readonly login: Login;
}

interface MyDomainsContext extends MyDomainsInput, WithMessage {
  readonly domains: readonly DomainView[];
  readonly picked: DomainView;
  readonly outcome: ServiceOutput;
}

function listScreen(dictionary: Dictionary, { domains }: MyDomainsContext): Screen {
  const options = domainOptions(dictionary, domains.slice(0, LISTED_DOMAINS));
  return menu("MD", options, { title: dictionary.texts.myDomains });
}

function detailScreen(dictionary: Dictionary, { picked }: MyDomainsContext): Screen {
  const blocks = [...domainLines(dictionary, picked), option(SHOW_DID_KEY, dictionary.texts.showDid)];
  return menu("DR", blocks, { informs: true });
}

function didScreen(_: Dictionary, { picked }: MyDomainsContext): Screen {
  return prompt("DID", [{ kind: "prose", text: printableLine(picked.id) }], { informs: true });
}

export function createMyDomainsMachine(effects: Pick<Effects, "myDomains">) {
  return setup({
    types: menuTypes<{ context: MyDomainsContext; input: MyDomainsInput; output: ServiceOutput }>(),
    actors: { look: effect(effects.myDomains) },
    actions: outcomeActions<MyDomainsContext>(),
    guards: {
      chose,
      picks: ({ context, event }) => pickedFrom(context.domains, typed(event)) !== undefined,
    },
  }).createMachine({
    id: "myDomains",
    context: ({ input }) => ({ ...input, domains: [], picked: NO_DOMAIN, outcome: { event: "DONE" } }),
    initial: "pending",
    on: menuTransitions,
    states: {
      pending: {
        ...waiting,
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
        meta: { input: "menu", screen: listScreen, keepsPage: true },
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
        meta: { input: "menu", screen: detailScreen },
        on: { ENTER: { guard: { type: "chose", params: SHOW_DID_KEY }, target: "did" }, BACK: "list" },
      },
      did: { meta: { input: "menu", screen: didScreen }, on: { BACK: "detail" } },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
