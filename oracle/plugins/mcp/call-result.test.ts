/** The model's view of a server's answer. */
import { expect, test } from "vitest";
import { outcomeOf } from "./call-result.ts";

test("texts are joined, structured content wins, other content is a note [OR-285]", () => {
  const texts = [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ] as const;
  expect(outcomeOf({ content: [...texts] })).toEqual({ output: "one\ntwo" });
  expect(outcomeOf({ content: [] })).toEqual({ output: "" });
  expect(outcomeOf({ content: [...texts], structuredContent: { a: 1 } })).toEqual({ output: { a: 1 } });
  expect(
    outcomeOf({
      content: [
        { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
        { type: "audio", data: "aGVsbA==", mimeType: "audio/wav" },
        { type: "resource_link", uri: "notes://7", name: "seven" },
        { type: "resource", resource: { uri: "notes://8", text: "eight" } },
        { type: "resource", resource: { uri: "notes://9", blob: "aGk=" } },
      ],
    }),
  ).toEqual({
    output: [
      "[image, image/png, 5 bytes: not shown]",
      "[audio, audio/wav, 4 bytes: not shown]",
      "[link to notes://7]",
      "eight",
      "[resource notes://9: not shown]",
    ].join("\n"),
  });
});

test("an error is an error, whatever else the result contains [OR-285]", () => {
  const failed = { isError: true, structuredContent: { a: 1 } };
  expect(outcomeOf({ ...failed, content: [{ type: "text", text: "locked" }] })).toEqual({ error: "locked" });
  expect(outcomeOf({ ...failed, content: [] })).toEqual({ error: "the tool failed without a message" });
  expect(outcomeOf({ isError: true, content: [{ type: "text", text: "x".repeat(5_000) }] })).toEqual({
    error: "x".repeat(4_000),
  });
});
