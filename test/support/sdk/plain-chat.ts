/** The AI SDK's chat without React, over the transport to a real oracle. */
import { AbstractChat, type ChatInit, type UIMessage } from "ai";
import { expect } from "vitest";
import { clientOfOracle } from "./client-of-oracle.ts";
import { createOracleTransport, type OracleTransportOptions } from "../../../sdk/src/ai-sdk/oracle-transport.ts";

/** A chat as frameworks build it from the AI SDK: its state in plain variables. */
export class PlainChat extends AbstractChat<UIMessage> {
  constructor(init: ChatInit<UIMessage>) {
    const { messages = [], ...rest } = init;
    super({
      ...rest,
      state: {
        status: "ready",
        error: undefined,
        messages,
        pushMessage(message) {
          this.messages = [...this.messages, message];
        },
        popMessage() {
          this.messages = this.messages.slice(0, -1);
        },
        replaceMessage(index, message) {
          this.messages = this.messages.with(index, message);
        },
        snapshot: (value) => structuredClone(value),
      },
    });
  }
}

export async function setUp(
  options: Parameters<typeof clientOfOracle>[0],
  more: { readonly transport?: Partial<OracleTransportOptions>; readonly chat?: Partial<ChatInit<UIMessage>> } = {},
) {
  const made = await clientOfOracle(options);
  const { sessionId } = await made.client.sessions.create();
  const transport = createOracleTransport({ client: made.client, ...more.transport });
  const chat = new PlainChat({ id: sessionId, transport, ...more.chat });
  return { ...made, sessionId, transport, chat };
}

export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");

/** Resolves when `is` returns true for the chat's last message. */
export async function until(chat: PlainChat, is: (last: UIMessage) => boolean): Promise<UIMessage> {
  await expect.poll(() => chat.lastMessage, { timeout: 20_000, interval: 5 }).toSatisfy(is);
  return chat.lastMessage as UIMessage;
}
