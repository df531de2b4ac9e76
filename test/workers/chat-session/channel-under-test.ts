/**
 * The chat channel inside workerd: sessions over a scripted model, with the client's tools, and connections to them.
 */
import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import { agui, portal } from "../../../oracle/plugins/client-tools/client-tools.ts";
import { OWNER } from "../../support/oracle/chat-turns.ts";
import { openRawSocket, type RawSocket } from "../../support/oracle/raw-socket.ts";
import type { Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { scriptOracle } from "../../support/oracle/scripted-oracle.ts";
import { newSession, type ChatSessionUnderTest } from "./session-under-test.ts";

const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Opens a connection to the session's object, without sending anything. */
export function open(
  session: ChatSessionUnderTest,
  query = `&sessionId=${session.id}`,
  headers: Record<string, string> = {},
) {
  return openRawSocket((request) => session.stub.fetch(request), query, headers);
}

export async function connect(session: ChatSessionUnderTest): Promise<RawSocket & { readonly id: string }> {
  const socket = await open(session);
  socket.send(`40${JSON.stringify({ invocation: OWNER })}`);
  const { sid } = JSON.parse((await socket.next()).slice(2)) as { sid: string };
  expect(await socket.event("connected")).toEqual({
    message: "Connected successfully",
    sessionId: session.id,
    timestamp: isoDate,
  });
  return { ...socket, id: sid };
}

/** A session whose model plays these steps. It is offered the tools of the client and of `plugins`. */
export async function script(
  steps: readonly (readonly Beat[])[],
  plugins: readonly PluginDefinition[] = [],
): Promise<ChatSessionUnderTest> {
  scriptOracle(steps, { plugins: [...plugins, portal, agui] });
  return newSession("scripted");
}

/** The object's stored data. */
export function stored({ stub }: ChatSessionUnderTest) {
  return runInDurableObject(stub, async (_, { storage }) => ({
    tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'").toArray(),
    alarm: await storage.getAlarm(),
  }));
}
