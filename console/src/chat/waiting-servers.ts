/** The services whose tools have said in the last turn that their user has to sign in. */
import type { IMessage, PendingSignIn } from "@twinedge/sdk";
import { saysToSignIn } from "./says-to-sign-in.ts";
import { ofServer } from "./tool-names.ts";

/** They say so over the socket and, which is there after a reload too, in what they return. */
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
