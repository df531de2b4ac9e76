/** Which events are messages for the oracle, and the model's view of Slack text. */
import { describe, expect, test } from "vitest";
import { BOT_USER, slackEvent } from "../../../test/support/peers/slack-api.ts";
import { readEvent } from "./events.ts";
import { messageOf, plainText } from "./message-text.ts";

test("the challenge of a new address is returned [OR-362]", () => {
  expect(readEvent({ type: "url_verification", token: "x", challenge: "3eZbrw1aB" })).toEqual({
    kind: "challenge",
    challenge: "3eZbrw1aB",
  });
});

describe("an event [OR-363]", () => {
  test("a mention starts a thread, or belongs to the thread it is in", () => {
    const root = readEvent(slackEvent({ ts: "1700000000.000100", text: "what is new?" }));
    expect(root).toMatchObject({
      kind: "message",
      team: "T0PEER",
      channel: "C0GENERAL",
      thread: "1700000000.000100",
      user: "U0ADA",
      text: "what is new?",
      isAddressed: true,
    });
    expect(readEvent(slackEvent({ thread: "1600000000.000100" }))).toMatchObject({ thread: "1600000000.000100" });
  });

  test("a direct message addresses the oracle; other messages only with a mention", () => {
    const message = (text: string, channel: string) =>
      readEvent(slackEvent({ type: "message", channel, event: { text } }));
    expect(message("hello", "D0ADA")).toMatchObject({ isAddressed: true });
    expect(message("hello", "C0GENERAL")).toMatchObject({ isAddressed: false });
    expect(message(`so <@${BOT_USER}>, hello`, "C0GENERAL")).toMatchObject({ isAddressed: true, text: "so , hello" });
  });

  test.each([
    ["a bot's", { bot_id: "B1" }],
    ["the oracle's own", { user: BOT_USER }],
    ["an edited one", { edited: { user: "U0ADA", ts: "1" } }],
    ["a change", { subtype: "message_changed", message: {} }],
    ["a deletion", { subtype: "message_deleted", deleted_ts: "1" }],
    ["a bot's by subtype", { subtype: "bot_message" }],
    ["somebody joined", { subtype: "channel_join" }],
    ["of another type", { type: "reaction_added" }],
    ["without words", { text: `<@${BOT_USER}>` }],
    ["without a user", { user: undefined }],
    ["with a channel that is none", { channel: "C1:T2" }],
    ["with a timestamp that is none", { ts: "soon" }],
  ])("%s is ignored", (_, event) => {
    expect(readEvent(slackEvent({ event }))).toEqual({ kind: "ignored" });
  });

  test.each([null, "text", [], {}, { type: "event_callback" }, { type: "app_rate_limited" }])(
    "%j is ignored",
    (body) => {
      expect(readEvent(body)).toEqual({ kind: "ignored" });
    },
  );

  test("a file is counted; a reply that is also sent to the channel is a message", () => {
    const files = readEvent(slackEvent({ event: { subtype: "file_share", text: "", files: [{}, {}] } }));
    expect(files).toMatchObject({ kind: "message", text: "", files: 2 });
    expect(readEvent(slackEvent({ event: { subtype: "thread_broadcast" } }))).toMatchObject({ kind: "message" });
  });
});

describe("Slack text in the form for the model [OR-364]", () => {
  test.each([
    [`<@${BOT_USER}> hello`, "hello"],
    ["a &lt;b&gt; &amp;&amp; c", "a <b> && c"],
    ["&amp;lt;", "&lt;"],
    ["ask <@U0BOB> or <@U0EVE|eve>", "ask @U0BOB or @eve"],
    ["in <#C1|general> and <#C2>", "in #general and #C2"],
    ["<!here> <!subteam^S1|@team> <!date^1|tomorrow>", "@here @team tomorrow"],
    ["see <https://a.example/b?c=1&amp;d=2>", "see https://a.example/b?c=1&d=2"],
    ["see <https://a.example|the page>", "see the page (https://a.example)"],
    ["<http://a.example|a.example>", "http://a.example"],
    ["<mailto:ada@a.example|ada@a.example>", "ada@a.example"],
    ["1 < 2", "1 < 2"],
  ])("%j is %j", (text, read) => {
    expect(plainText(text, BOT_USER)).toBe(read);
  });

  test("other people's messages are attributed, and unread files are named", () => {
    expect(messageOf({ text: "hi", files: 0 })).toBe("hi");
    expect(messageOf({ text: "hi", files: 0, by: "U0BOB" })).toBe("<@U0BOB> writes in this thread:\nhi");
    expect(messageOf({ text: "", files: 2 })).toBe("[attached files that cannot be read here: 2]");
  });
});
