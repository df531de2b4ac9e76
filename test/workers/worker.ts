/** The Worker under test: the deployed one, and beside it a chat session whose models and plugins a test brings. */
import { defineChatSession } from "../../durable-objects/chat-session.ts";
import { scriptedOracle } from "../support/scripted-oracle.ts";

export * from "../../workers/index.ts";
export { default } from "../../workers/index.ts";
export class ScriptedChatSession extends defineChatSession(async () => {
  if (scriptedOracle.settings === undefined) throw new Error("not configured");
  return scriptedOracle.settings;
}) {}
