/** Titles by rule, and titles taken from a model's answer; openai-compatible.test.ts tests titles by a model. */
import { APICallError, type LanguageModelV4 } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TITLE_LENGTH, titleByModel, titleByRule } from "./title.ts";
import { titleMeter } from "../../test/support/oracle/title-meter.ts";

const { signal } = new AbortController();
const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

describe("a title by rule [OR-43]", () => {
  it.each([
    ["hello", "hello"],
    ["  two\n lines ", "two lines"],
    ["", "Untitled"],
    [" \n ", "Untitled"],
    ["a".repeat(MAX_TITLE_LENGTH), "a".repeat(MAX_TITLE_LENGTH)],
    ["a".repeat(MAX_TITLE_LENGTH + 1), "a".repeat(MAX_TITLE_LENGTH)],
    [`${"a".repeat(MAX_TITLE_LENGTH)} b`, "a".repeat(MAX_TITLE_LENGTH)],
    [`${"a ".repeat(29)}bcdefgh`, "a ".repeat(29).trim()],
    [`${"a".repeat(59)}😀`, "a".repeat(59)],
  ])("of %j is %j", (text, title) => {
    expect(titleByRule(text)).toBe(title);
  });

  it.each([
    ["Tell me about Kibera Clean Stoves (did:web:x.org)", "Tell me about Kibera Clean Stoves"],
    [`Tell me about did:ixo:entity:${"0123456789abcdef".repeat(2)}`, "Tell me about did:ixo:entity:01234…abcdef"],
    ["did:web:short.org is short", "did:web:short.org is short"],
  ])("of %j, which names a DID, is %j [OR-584]", (text, title) => {
    expect(titleByRule(text)).toBe(title);
  });

  it("a title is a prefix of the message, cut at a word boundary if there is one", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (words) => {
        const text = words.join(" ");
        const line = text.replace(/\s+/g, " ").trim();
        const title = titleByRule(text);
        expect(title.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
        expect(title).not.toBe("");
        const beginning = line === "" ? "Untitled" : line;
        expect(beginning.startsWith(title)).toBe(true);
        const hasEdge = beginning.slice(0, MAX_TITLE_LENGTH + 1).includes(" ");
        const next = beginning.charAt(title.length);
        expect(next === "" || next === " " || !hasEdge).toBe(true);
      }),
      runs,
    );
  });
});

describe("a title by a model that thinks inside its answer [OR-43, OR-73]", () => {
  it.each([
    ["<think>The user wants stoves.</think>\nStoves in Lusaka", "Stoves in Lusaka"],
    ['\n<think>\nhm\n</think>\n\n"Stoves"', "Stoves"],
    ["<think>never closed", "the first message"],
  ])("%j: %j", async (answer, title) => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 1, text: 1, reasoning: undefined },
    };
    const model: LanguageModelV4 = {
      specificationVersion: "v4",
      provider: "test",
      modelId: "test",
      supportedUrls: {},
      doGenerate: async () => ({
        content: [{ type: "text", text: answer }],
        finishReason: { unified: "stop", raw: "stop" },
        usage,
        warnings: [],
      }),
      doStream: () => Promise.reject(new Error("a title is not streamed")),
    };
    expect(await titleByModel({ id: "m", model }, "the first message", signal, titleMeter())).toBe(title);
  });
});

describe("a title that fails [OR-459]", () => {
  const answered = (statusCode: number) =>
    new APICallError({ message: "no", url: "https://models.test", requestBodyValues: {}, statusCode });

  it.each([
    ["costs nothing when the service refuses it", answered(429), [0]],
    ["counts the most that it may have cost when a gateway answers for the service", answered(502), []],
    ["counts the most that it may have cost when its connection is lost", new TypeError("fetch failed"), []],
  ])("%s", async (_, failure, afterwards) => {
    const meter = titleMeter();
    const model: LanguageModelV4 = {
      specificationVersion: "v4",
      provider: "test",
      modelId: "test",
      supportedUrls: {},
      doGenerate: () => Promise.reject(failure),
      doStream: () => Promise.reject(new Error("a title is not streamed")),
    };
    expect(await titleByModel({ id: "m", model }, "hello", signal, meter)).toBe("hello");
    const [most = 0] = meter.counted;
    expect(most).toBeGreaterThan(0);
    expect(meter.counted).toEqual([most, ...afterwards]);
  });
});
