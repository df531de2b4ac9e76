/** The texts that a user reads before a tool runs in their name. */
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

test("an approval of a tool without values states that [CN-135]", () => {
  expect(textOf("restart", {})).toContain(chatTexts.question.effectAlone("restart"));
});

test.each([
  ["true", true],
  ["NULL", null],
  ["12.50", 12.5],
  ["0x1F", 31],
  ['["Ada"]', ["Ada"]],
  ['{"to":1} ', { to: 1 }],
])("the text %j is labelled as a text, unlike the value %j [CN-135]", (text, value) => {
  expect(textOf("pay", { to: text })).toContain(`to "${text.trimEnd()}`);
  expect(textOf("pay", { to: text })).toContain(chatTexts.question.asText);
  expect(textOf("pay", { to: value })).toContain(`to ${JSON.stringify(value)} `);
});

test("a quoted text gets further quotes, a blank one is labelled as blank, and any other is shown as it is [CN-135]", () => {
  const { asText, blankText } = chatTexts.question;
  const text = textOf("pay", { quoted: '"true" as text', none: "", spaces: " ", time: "12:50", truth: "true story" });
  for (const words of [`quoted ""true" as text" ${asText}`, `none "" ${blankText}`, `spaces " " ${blankText}`])
    expect(text).toContain(words);
  for (const words of ["time 12:50 ", "truth true story "]) expect(text).toContain(words);
});

test("characters that hide or reorder their neighbours are shown as codes [CN-183]", () => {
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
