/**
 * The plugin memory, on by default: facts that a user asked to remember, over all their sessions; none of a place where several people speak. They lie in the user's own
 * object with a full-text index, and are deleted with it. The fitting and the newest stand in the prompt of each turn.
 */
import { defineOraclePlugin } from "../../framework/plugin.ts";
import { promptSection } from "./recall.ts";
import { memoryRoutes } from "./routes.ts";
import { memoryTools } from "./tools.ts";

export const memory = defineOraclePlugin({
  name: "memory",
  version: "1.0.0",
  manifest: {
    title: "Memory",
    summary: "Facts that the user asked to remember, in this and every later conversation.",
    whenToUse: ["the user tells you something to remember, or asks what you remember, or asks you to forget"],
    whenNotToUse: ["how the user wants to be answered", "passwords, PINs and other secrets"],
    examples: [
      {
        user: "Remember that my stove is a Kiboko 2.",
        tool: "remember",
        args: { fact: "The user's stove is a Kiboko 2." },
      },
      { user: "Which stove do I have?", tool: "search_memory", args: { query: "stove" } },
      {
        user: "Forget what I said about my stove.",
        thought: "The id is in the result of search_memory.",
        tool: "forget",
        args: { id: "m_0123456789abcdef01234567" },
      },
    ],
    tags: ["facts", "long-term"],
    category: "memory",
    visibility: "always",
  },
  getTools: ({ user }) => (user.isPersonal ? memoryTools : []),
  getSharedState: async ({ user, texts, request, remembered }) => {
    if (!user.isPersonal) return {};
    const newest = await remembered("newest", () => texts.list());
    return { promptSection: await promptSection(texts, newest, request.message) };
  },
  getRoutes: () => memoryRoutes,
});
