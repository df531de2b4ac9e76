/** How tests of the SDK's chat read requests and messages. */
import type { AskedRequest } from "../oracle/oracle-on-a-port.ts";

export const isSend = ({ method, path }: AskedRequest): boolean =>
  method === "POST" && /^\/messages\/(?!abort$)/.test(path);
export const texts = (messages: readonly { readonly content: string }[]) => messages.map(({ content }) => content);
