/** Know More: the information menu and the information itself (contract/ussd.md section 5.3). */
import { assign, fromPromise, setup } from "xstate";
import type { Effects, InfoMessage } from "../effects.ts";
import type { InfoTopic, Notice } from "../i18n/dictionary.ts";
import type { Language } from "../i18n/languages.ts";
import type { Caller } from "../ports.ts";
import { INFO_PAGE_KEYS, INFO_TOPICS, infoMenuScreen, infoPageScreen } from "../screens/know-more.ts";
import { waitScreen } from "../screens/services.ts";
import { chose, everyStep, machineTypes, typed, whileWaiting, type Noticed, type PhoneEvent } from "./phone-event.ts";
import type { Steps } from "./step.ts";

export interface KnowMoreInput {
  readonly caller: Caller;
  readonly language: Language;
  /** Begins the key of every message that is sent from here. */
  readonly key: string;
  readonly sms: boolean;
}

interface KnowMoreContext extends KnowMoreInput, Noticed {
  readonly topic: InfoTopic;
  readonly sent: number;
}

export const knowMoreSteps: Steps<KnowMoreContext> = {
  infoMenu: { takes: "menu", screen: (dictionary, _, { app }) => infoMenuScreen(dictionary, { app }) },
  infoPage: {
    takes: "menu",
    screen: (dictionary, { topic, sms }, { app }) => infoPageScreen(dictionary, { app, topic, sms }),
  },
  sending: { takes: "menu", screen: waitScreen },
};

export function createKnowMoreMachine(effects: Pick<Effects, "sendInfo">) {
  return setup({
    types: machineTypes as { context: KnowMoreContext; input: KnowMoreInput; events: PhoneEvent; tags: "pending" },
    actors: { send: fromPromise<boolean, InfoMessage>(({ input }) => effects.sendInfo(input)) },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      chooseTopic: assign({ topic: ({ event }) => topicOf(typed(event)) ?? "product" }),
    },
    guards: {
      chose,
      isTopic: ({ event }) => topicOf(typed(event)) !== undefined,
      offersSms: ({ context, event }) => context.sms && typed(event) === INFO_PAGE_KEYS.sendSms,
    },
  }).createMachine({
    id: "knowMoreService",
    context: ({ input }) => ({ ...input, topic: "product", sent: 0 }),
    initial: "infoMenu",
    on: everyStep,
    states: {
      infoMenu: {
        on: { ENTER: { guard: "isTopic", target: "infoPage", actions: "chooseTopic" }, BACK: "done" },
      },
      infoPage: {
        on: {
          ENTER: [
            { guard: { type: "chose", params: INFO_PAGE_KEYS.mainMenu }, target: "done" },
            { guard: "offersSms", target: "sending" },
          ],
          BACK: "infoMenu",
        },
      },
      sending: {
        tags: "pending",
        invoke: {
          src: "send",
          input: ({ context: { caller, key, sent, topic, language } }) => ({
            caller,
            topic,
            language,
            messageKey: `${key}.${sent}`,
          }),
          onDone: [
            {
              guard: ({ event }) => event.output,
              target: "infoPage",
              actions: [
                assign({ sent: ({ context }) => context.sent + 1 }),
                { type: "tell", params: { reason: "smsAccepted" } },
              ],
            },
            { target: "infoPage", actions: { type: "tell", params: { reason: "smsFailed" } } },
          ],
        },
        on: { ...whileWaiting, BACK: "infoPage" },
      },
      done: { type: "final" },
    },
  });
}

function topicOf(key: string): InfoTopic | undefined {
  return /^[1-9]$/.test(key) ? INFO_TOPICS[Number(key) - 1] : undefined;
}
