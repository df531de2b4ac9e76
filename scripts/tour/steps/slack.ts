/** Plugin slack: a mention, sent twice by Slack under two kinds of event, is answered once, in its thread. */
import { setTimeout as delay } from "node:timers/promises";
import { slackEvent } from "../../../test/support/peers/slack-api.ts";
import type { TourStep } from "../step.ts";
import { expectThat } from "../expect-that.ts";

/** Maximum wait for the answer, and the poll interval; milliseconds. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 50;

export const answerMention: TourStep = {
  title: "Somebody mentions the oracle in Slack",
  async run({ url, peers: { slack } }) {
    const mention = slackEvent({ text: "hello from Slack" });
    const { ts } = mention.event;
    const acknowledged = await slack.sendEvent(url, mention);
    expectThat(acknowledged.status === 200, "200 for the event", acknowledged);
    await slack.sendEvent(url, slackEvent({ type: "message", text: "hello from Slack", ts }));
    await slack.sendEvent(url, mention, 1);
    const finished = () => slack.messages.filter(({ thread, state }) => thread === ts && state === "posted");
    for (let waited = 0; finished().length === 0 && waited < PATIENCE_MS; waited += LOOK_MS) await delay(LOOK_MS);
    const texts = slack.textsIn(ts);
    expectThat(
      texts.length === 1 && texts[0]?.includes("hello from Slack") === true,
      "one answer in the thread",
      texts,
    );
    return [
      `acknowledged after ${Math.round(acknowledged.ms)} ms`,
      `three deliveries, one answer in the thread: ${texts.join()}`,
    ];
  },
};
