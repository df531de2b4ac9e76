/** The services whose tools have reported in the last turn that their user must sign in. */
import type { IMessage, PendingSignIn } from "@twinedge/sdk";
import { saysToSignIn } from "./says-to-sign-in.ts";
import { ofServer } from "./tool-names.ts";

/** Tools report this over the socket and in their output, which survives a reload. */
export function waitingServers(
  messages: readonly Pick<IMessage, "type" | "toolCalls">[],
  signIns: readonly PendingSignIn[],
): readonly string[] {
  const lastTurn = messages.slice(messages.findLastIndex(({ type }) => type === "human") + 1);
  const named = lastTurn
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .flatMap(({ name, output = "" }) => {
      const server = ofServer(name)?.server;
      return server !== undefined && saysToSignIn(output, server) ? [server] : [];
    });
  return [...new Set([...signIns.map(({ server }) => server), ...named])];
}
