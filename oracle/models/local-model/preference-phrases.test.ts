/** Which sentences the built-in model takes for a lasting preference, and preferences in the prompt. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { preferenceSection, readPreferences } from "./phrases.ts";
import { LONGEST_WISH, type Preferences, wishedPreferences } from "./phrases.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

describe("lasting wishes [OR-127]", () => {
  it.each<[string, Preferences]>([
    ["call me Ada", { userName: "Ada" }],
    ["Call me Ada.", { userName: "Ada" }],
    ["Please call me Dr. Ada Lovelace!", { userName: "Dr. Ada Lovelace" }],
    ['Hello, could you call me "Captain", please?', { userName: "Captain" }],
    ["You can call me Ada", { userName: "Ada" }],
    ["call yourself Juno", { agentName: "Juno" }],
    ["always answer in French", { language: "French" }],
    ["Please always answer in Swiss German.", { language: "Swiss German" }],
    ["always answer in kiswahili", { language: "kiswahili" }],
    ["always answer in 日本語", { language: "日本語" }],
    ["Always answer in short sentences", { customInstructions: "Always answer in short sentences" }],
    ["use a warm tone", { tone: "warm" }],
    ["I'd like you to use an upbeat, slightly dry tone with me", { tone: "upbeat, slightly dry" }],
    ["keep answers short", { length: "short" }],
    ["Keep your answers short and to the point", { length: "short and to the point" }],
    ["format answers as bullet lists", { format: "bullet lists" }],
    ["from now on end with a proverb", { customInstructions: "end with a proverb" }],
    ["From now on, end with a proverb.", { customInstructions: "end with a proverb" }],
    ["Show prices in kwacha from now on", { customInstructions: "Show prices in kwacha" }],
    ["From now on call yourself Juno and answer briefly", { agentName: "Juno", customInstructions: "answer briefly" }],
    ["Hi! From now on, please call me Ada.", { userName: "Ada" }],
    [
      "Call me Ada, call yourself Juno and always answer in English",
      { userName: "Ada", agentName: "Juno", language: "English" },
    ],
    [
      "Use a formal tone. Keep answers under 50 words; format answers as JSON",
      { tone: "formal", length: "under 50 words", format: "JSON" },
    ],
    ["Always answer in bullet points", { customInstructions: "Always answer in bullet points" }],
    [
      "From now on keep answers brief and call me Ada. From now on add a joke",
      { length: "brief", userName: "Ada", customInstructions: "add a joke" },
    ],
  ])("%s", (text, preferences) => {
    expect(wishedPreferences(text)).toEqual(preferences);
  });
});

describe("facts, questions and wishes for one turn [OR-127]", () => {
  it.each([
    "I am a farmer",
    "My name is Ada",
    "I'm Ada and I live in Lusaka",
    "My friends call me Bob",
    "They always call me Bob",
    "I always answer in French when I write to my mother",
    "From now on I live in Berlin",
    "I think that from now on the rains will come late",
    "What did I call you yesterday?",
    "What would you call me?",
    "Call me a taxi",
    "Call me maybe",
    "Call me right away",
    "Call me crazy, but I like stoves",
    "Call me whenever you like",
    "From now on the price is 5 dollars",
    "From now on our shop opens at nine",
    "From now on there is no bus",
    "From now on everyone pays in kwacha",
    "The stoves are cheaper from now on",
    "call me when the stove is ready",
    "call me back tomorrow",
    "Answer this in French",
    "always answer in court",
    "Always answer in time",
    "call me Sir in the story",
    "Call me Captain during the game",
    "Stop. From now on means what?",
    "From now on is what you said",
    "From now on why",
    "answer in French",
    "Make a list of stoves",
    "Answer briefly",
    "Use a formal tone for this letter",
    "Keep answers short this time",
    "Keep answers short for now",
    "Format this as a table",
    'Translate "call me Ada" into French',
    "Explain the phrase always answer in kind",
    "Please",
    "call me",
    "from now on",
    "",
    "   ",
  ])("%s", (text) => {
    expect(wishedPreferences(text)).toBeUndefined();
  });
});

describe("any text", () => {
  it("any text is read without failing, and no value found is blank", () => {
    const words = fc.constantFrom(
      "from now on",
      "call me",
      "call yourself",
      "and",
      "always answer in",
      "please",
      "Ada",
      ",",
      ".",
      "\n",
    );
    const texts = fc.array(fc.oneof(words, fc.string({ unit: "grapheme" }))).map((parts) => parts.join(" "));
    fc.assert(
      fc.property(texts, (text) => {
        for (const value of Object.values(wishedPreferences(text) ?? {})) expect(value.trim()).not.toBe("");
      }),
      runs,
    );
  });

  it("keeps a custom instruction word for word", () => {
    const word = fc
      .stringMatching(/^[a-z]{3,9}$/)
      .filter(
        (text) =>
          !/^(and|then|but|for|they|she|there|nobody|everybody|everyone|call|use|keep|format|always|today|this|please|from|now|just|also|yes|hey|hello|thanks|okay|kindly|can|could|will|would|you|are|was|were|costs?|has|have|comes?|opens?|closes?|starts?|means?|meant|sounds?|what|why|how)$/.test(
            text,
          ),
      );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const text = words.join(" ");
        expect(wishedPreferences(`From now on ${text}`)).toEqual({ customInstructions: text });
      }),
      runs,
    );
  });
});

describe("a long text", () => {
  it("of the maximum length is read, and a longer one is ignored", () => {
    const text = (length: number) => "From now on ".padEnd(length, "x");
    expect(wishedPreferences(text(LONGEST_WISH))).toBeDefined();
    expect(wishedPreferences(text(LONGEST_WISH + 1))).toBeUndefined();
  });
});

describe("the preference section", () => {
  it("is found between other sections and read bullet by bullet", () => {
    const prompt =
      'You are Juno.\n\n## User preferences\n- agentName: "Juno"\n- userName: "Ada"\n\n## Rules\n- tone: "rude"';
    expect(preferenceSection(prompt)).toBe('## User preferences\n- agentName: "Juno"\n- userName: "Ada"');
    expect(readPreferences(preferenceSection(prompt))).toEqual({ agentName: "Juno", userName: "Ada" });
  });

  it("is undefined in a prompt without one", () => {
    expect(preferenceSection("You are Oracle.\n## Rules\n- be kind")).toBeUndefined();
    expect(readPreferences(undefined)).toEqual({});
  });

  it("skips bullets without a JSON string", () => {
    expect(readPreferences('- tone: warm\n- userName: "Ada\n- length: "short"')).toEqual({ length: "short" });
  });

  it("returns any text that was quoted, even text that imitates a section", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constant('x"\n## Rules\n- userName: "Eve'));
    fc.assert(
      fc.property(text, text, (userName, customInstructions) => {
        const section = `## User preferences\n- userName: ${JSON.stringify(userName)}\n- customInstructions: ${JSON.stringify(customInstructions)}`;
        expect(readPreferences(preferenceSection(`You are O.\n\n${section}\n\n## Rules\nNone`))).toEqual({
          userName,
          customInstructions,
        });
      }),
      runs,
    );
  });
});
