/** What somebody reads before a tool runs in their name. */
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { chatTexts } from "../texts/chat.ts";
import { ApprovalCard } from "./approval-card.tsx";

const answer = { send: () => undefined, isSent: false };

function textOf(toolName: string, args: Readonly<Record<string, unknown>>): string {
  return renderToString(<ApprovalCard toolName={toolName} args={args} answer={answer} />)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/g, " ");
}

test("an approval names the tool and its values, and has both answers in words [CN-135]", () => {
  const text = textOf("visits__book", { stove: "KE-0042", guests: ["Ada"] });
  const { title, effect, approve, refuse } = chatTexts.question;
  for (const words of [title, effect("book of visits"), "stove KE-0042", 'guests ["Ada"]', approve, refuse])
    expect(text).toContain(words);
});

test("an approval of a tool without values says so [CN-135]", () => {
  expect(textOf("restart", {})).toContain(chatTexts.question.effectAlone("restart"));
});

test("characters that hide or turn what stands beside them are shown as codes [CN-183]", () => {
  const text = textOf("pay\u202e__all", {
    "to\u200b": "\u202emoc.elpmaxe",
    all: ["\u2066x"],
    note: "one\ttwo 👩\u200d🍳 \u{e0041}",
  });
  for (const words of [
    "pay\\u{202e}",
    "to\\u{200b} \\u{202e}moc.elpmaxe",
    '["\\u{2066}x"]',
    "one two 👩\u200d🍳 \\u{e0041}",
  ])
    expect(text).toContain(words);
});
