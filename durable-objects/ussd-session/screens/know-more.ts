/** I, the information menu, and S, the information itself (contract/ussd.md section 5.3). No screen says that a message was sent. */
import { fill, type Dictionary, type InfoTopic } from "../i18n/dictionary.ts";
import { line, menu, option, type Screen } from "./screen.ts";

/** In the order of the menu: topic n is option n. */
export const INFO_TOPICS: readonly InfoTopic[] = ["product", "pricing", "delivery"];
export const INFO_PAGE_KEYS = { mainMenu: "1", sendSms: "2" } as const;

export function infoMenuScreen({ texts }: Dictionary, { app }: { readonly app: string }): Screen {
  const labels: Record<InfoTopic, string> = {
    product: texts.infoProduct,
    pricing: texts.infoPricing,
    delivery: texts.infoDelivery,
  };
  const topics = INFO_TOPICS.map((topic, index) => option(String(index + 1), labels[topic]));
  return menu("I", [line(fill(texts.infoTitle, { app })), ...topics]);
}

export interface InfoPageData {
  readonly app: string;
  readonly topic: InfoTopic;
  /** Whether an SMS can be sent at all. */
  readonly sms: boolean;
}

export function infoPageScreen({ texts, info }: Dictionary, { app, topic, sms }: InfoPageData): Screen {
  return menu("S", [
    { kind: "prose", text: fill(info[topic], { app }) },
    option(INFO_PAGE_KEYS.mainMenu, texts.backToMain),
    ...(sms ? [option(INFO_PAGE_KEYS.sendSms, texts.sendSms)] : []),
  ]);
}
