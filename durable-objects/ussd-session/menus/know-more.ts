/** Know More: the information menu and the information itself. No screen claims that an SMS was delivered. */
import { assign, setup } from "xstate";
import type { Caller } from "../ports.ts";
import { line, menu, option, type Screen } from "../screen/screen.ts";
import { fill, type Dictionary, type Language } from "../texts/dictionary.ts";
import type { Effects } from "./effects.ts";
import {
  chose,
  effect,
  menuActions,
  menuTransitions,
  menuTypes,
  pickedFrom,
  typed,
  waiting,
  whileWaiting,
  type ScreenSettings,
  type WithMessage,
} from "./menu.ts";
import type { InfoTopic } from "../texts/translation.ts";

/** In the order of the menu: topic n is option n. */
const TOPICS: readonly InfoTopic[] = ["product", "pricing", "delivery"];
const PAGE_KEYS = { mainMenu: "1", sendSms: "2" } as const;

interface KnowMoreInput {
  readonly caller: Caller;
  readonly language: Language;
  /** Prefix of the keys of all messages sent here. */
  readonly key: string;
  /** Whether an SMS can be sent at all. */
  readonly sms: boolean;
}

interface KnowMoreContext extends KnowMoreInput, WithMessage {
  readonly topic: InfoTopic;
  readonly sent: number;
}

function infoMenuScreen({ texts }: Dictionary, _: KnowMoreContext, { app }: ScreenSettings): Screen {
  const labels: Record<InfoTopic, string> = {
    product: texts.infoProduct,
    pricing: texts.infoPricing,
    delivery: texts.infoDelivery,
  };
  const topics = TOPICS.map((topic, index) => option(String(index + 1), labels[topic]));
  return menu("I", [line(fill(texts.infoTitle, { app })), ...topics]);
}

function infoPageScreen({ texts, info }: Dictionary, { topic, sms }: KnowMoreContext, { app }: ScreenSettings): Screen {
  const blocks = [
    { kind: "prose", text: fill(info[topic], { app }) } as const,
    option(PAGE_KEYS.mainMenu, texts.backToMain),
    ...(sms ? [option(PAGE_KEYS.sendSms, texts.sendSms)] : []),
  ];
  return menu("S", blocks, { informs: true });
}

export function createKnowMoreMachine(effects: Pick<Effects, "sendInfo">) {
  return setup({
    types: menuTypes<{ context: KnowMoreContext; input: KnowMoreInput }>(),
    actors: { send: effect(effects.sendInfo) },
    actions: {
      ...menuActions<KnowMoreContext>(),
      chooseTopic: assign({ topic: ({ event }) => pickedFrom(TOPICS, typed(event)) ?? "product" }),
    },
    guards: {
      chose,
      isTopic: ({ event }) => pickedFrom(TOPICS, typed(event)) !== undefined,
      offersSms: ({ context, event }) => context.sms && typed(event) === PAGE_KEYS.sendSms,
    },
  }).createMachine({
    id: "knowMoreService",
    context: ({ input }) => ({ ...input, topic: "product", sent: 0 }),
    initial: "infoMenu",
    on: menuTransitions,
    states: {
      infoMenu: {
        meta: { input: "menu", screen: infoMenuScreen },
        on: { ENTER: { guard: "isTopic", target: "infoPage", actions: "chooseTopic" }, BACK: "done" },
      },
      infoPage: {
        meta: { input: "menu", screen: infoPageScreen },
        on: {
          ENTER: [
            { guard: { type: "chose", params: PAGE_KEYS.mainMenu }, target: "done" },
            { guard: "offersSms", target: "sending" },
          ],
          BACK: "infoMenu",
        },
      },
      sending: {
        ...waiting,
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
                { type: "showMessage", params: { key: "smsAccepted" } },
              ],
            },
            { target: "infoPage", actions: { type: "showMessage", params: { key: "smsFailed" } } },
          ],
        },
        on: { ...whileWaiting, BACK: "infoPage" },
      },
      done: { type: "final" },
    },
  });
}
