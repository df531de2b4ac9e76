/**
 * Plugin memory: a fact is stored in the conversation, after the user has approved it, since the conversation contains files, and
 * is known in a new session.
 */
import type { TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

export const rememberAndRecall: TourStep = {
  title: "The user approves that a fact is remembered, and a second session knows it",
  async run({ user, sessionId }) {
    const { toolCalls, approved } = await user.say(sessionId, "Remember that my stove is a Kiboko 2.");
    expectThat(approved.join() === "remember", "a question to the user before remember", approved);
    const [call] = toolCalls;
    expectThat(call?.name === "remember" && call.status === "done", "a call of remember", toolCalls);
    const { text, toolCalls: calls } = await user.say(await user.newSession(), "What do you remember?");
    expectThat(text.includes('"my stove is a Kiboko 2."'), "the fact in the answer of a new session", text);
    expectThat(calls.length === 0, "no call of a tool: the fact is in the prompt", calls);
    const { memories } = await user.ask("/memory");
    const [kept] = memories as readonly Readonly<Record<string, unknown>>[];
    expectThat(kept?.["sessionId"] === sessionId, "the fact with the session it came from at GET /memory", memories);
    return [
      "the conversation holds files, so the user was asked first, and approved",
      call.output,
      "a new session answered with it, without a tool",
      "GET /memory names the session it came from",
    ];
  },
};
