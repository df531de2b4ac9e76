import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ACCEPTED_TEXTS_KEPT,
  REQUEST_IDS_KEPT,
  answered,
  openingText,
  readLongText,
  readText,
  takeSegment,
  textAfterEnd,
  type EqualText,
  type TextHistory,
  type TextInput,
  type TextMeaning,
  type TextRules,
} from "./text-meaning.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const REPLAY_WINDOW_MS = 2000;
const digest = (text: string): Promise<string> =>
  Promise.resolve(createHash("sha256").update(text).digest("base64url").slice(0, 12));
const auto: TextRules = { mode: "auto", replayWindowMs: REPLAY_WINDOW_MS, directDial: true, digest };

/** A session's history of its texts, without its menus. */
function phone(rules: TextRules = auto) {
  let history: TextHistory | undefined;
  async function send(text: string, at = 0): Promise<TextMeaning> {
    const request = { text, serviceCode: "*2233#", arrivedAt: at };
    const meaning = history === undefined ? await openingText(request, rules) : await readText(request, history, rules);
    if (meaning.kind === "open" || meaning.kind === "input") history = answered(meaning.history, at);
    return meaning;
  }
  return { send, history: () => history };
}

/** The last meaning, after the earlier texts. */
async function after(texts: readonly string[], rules: TextRules = auto): Promise<TextMeaning> {
  const { send } = phone(rules);
  for (const text of texts.slice(0, -1)) await send(text);
  return send(texts.at(-1) ?? "");
}

function segments(input: TextInput | undefined): readonly string[] | string | undefined {
  if (input?.kind !== "entry") return input?.kind;
  const all: string[] = [];
  for (let next = takeSegment(input.remainder, false); next !== undefined; next = takeSegment(next.rest, false))
    all.push(next.segment);
  return all;
}

function meant(meaning: TextMeaning): unknown {
  return meaning.kind === "input" || meaning.kind === "open" ? [meaning.kind, segments(meaning.input)] : meaning.kind;
}

test("a latest-only gateway is recognised, and repeats an input only after the window [PH-28, PH-29]", async () => {
  const { send, history } = phone();
  await send("", 0);
  await send("1", 10_000);
  expect(history()?.mode).toBe("undecided");
  await send("2", 20_000);
  expect(history()?.mode).toBe("latest");
  expect(meant(await send("2", 20_000 + REPLAY_WINDOW_MS - 1))).toBe("replay");
  expect(meant(await send("2", 20_000 + REPLAY_WINDOW_MS))).toEqual(["input", ["2"]]);
  // Sent while the previous request was in progress, so it arrived before the reply.
  expect(meant(await send("2", 21_000))).toBe("replay");
  expect(meant(await send("1", 30_000))).toEqual(["input", ["1"]]);
});

test("a prefix of a known text is a repetition, in whatever order the texts arrive [PH-26]", async () => {
  const { send } = phone();
  const meanings = [];
  for (const text of ["", "2*2", "2", "2*2*Ann", "2*2", "2", "2*2*Ann*00*43219", "2*2*Ann*00", "2*2*Ann*00*43219"])
    meanings.push(meant(await send(text)));
  expect(meanings).toEqual([
    ["open", undefined],
    ["input", ["2", "2"]],
    "replay",
    ["input", ["Ann"]],
    "replay",
    "replay",
    ["input", ["00", "43219"]],
    "replay",
    "replay",
  ]);
  // This holds even after a dial with inputs.
  const dialled = phone();
  await dialled.send("2*1*C1234ABCD");
  expect((await dialled.send("2*1")).kind).toBe("replay");
  expect(meant(await dialled.send("2*1*C1234ABCD*43219"))).toEqual(["input", ["43219"]]);
  // This holds even after a text that did not continue the previous one.
  const lost = phone();
  for (const text of ["", "1", "1*1", "7*8*9"]) await lost.send(text);
  expect((await lost.send("7*8")).kind).toBe("replay");
});

/** A latest-only gateway's requests with their ids. */
function numbered(more: Partial<TextRules> = {}) {
  const rules = { ...auto, mode: "latest" as const, ...more };
  let history: TextHistory | undefined;
  return async (text: string, at: number, known: { requestId?: string; raw?: string; equalText?: EqualText } = {}) => {
    const request = { text, serviceCode: "*2233#", arrivedAt: at, ...known };
    const meaning = history === undefined ? await openingText(request, rules) : await readText(request, history, rules);
    if (meaning.kind === "open" || meaning.kind === "input") history = answered(meaning.history, at);
    return meaning.kind;
  };
}

test("a gateway's own request id decides, however soon the next request and however late the repetition [PH-30]", async () => {
  const send = numbered();
  expect(await send("", 0, { requestId: "1" })).toBe("open");
  expect(await send("2", 10, { requestId: "2" })).toBe("input");
  expect(await send("2", 20, { requestId: "3" })).toBe("input");
  expect(await send("2", 60_000, { requestId: "3" })).toBe("replay");
  expect(await send("2", 60_000, { requestId: "2" })).toBe("replay");
  expect(await send("", 60_000, { requestId: "1" })).toBe("replay");
  expect(await send("1", 60_000, { requestId: "4" })).toBe("input");
  // A request whose id was used for another text is still a repetition.
  expect(await send("9", 60_000, { requestId: "4" })).toBe("replay");
});

test(`the ids of the last 50 requests are remembered [PH-30]`, async () => {
  const send = numbered();
  for (let id = 0; id <= 50; id += 1) await send("1", id, { requestId: String(id) });
  expect(await send("1", 100_000, { requestId: "1" })).toBe("replay");
  expect(await send("1", 100_000, { requestId: "0" })).toBe("input");
  expect(REQUEST_IDS_KEPT).toBe(50);
});

test("without an id the whole request and the time decide: equal bytes within the window are a repetition [PH-29]", async () => {
  const send = numbered();
  expect(await send("", 0, { raw: "dial" })).toBe("open");
  expect(await send("2", 0, { raw: "two" })).toBe("input");
  expect(await send("2", 1_999, { raw: "two" })).toBe("replay");
  expect(await send("2", 1_999, { raw: "two, a moment later" })).toBe("input");
  expect(await send("2", 3_998, { raw: "two, a moment later" })).toBe("replay");
  expect(await send("2", 3_999, { raw: "two, a moment later" })).toBe("input");
});

test("on a screen that is shown once, an equal input is a repetition after the window too [PH-29]", async () => {
  const send = numbered();
  await send("", 0);
  await send("43219", 0);
  expect(await send("43219", 60_000, { equalText: "repeats" })).toBe("replay");
  expect(await send("1", 60_000, { equalText: "repeats" })).toBe("input");
  expect(await send("43219", 60_000, { requestId: "8", equalText: "repeats" })).toBe("input");
});

test("a screen that asks for a text twice accepts the second as soon as it was shown [PH-131]", async () => {
  const send = numbered();
  await send("", 0);
  await send("43219", 10);
  expect(await send("43219", 9, { equalText: "confirms", raw: "the same bytes" })).toBe("replay");
  expect(await send("43219", 10, { equalText: "confirms", raw: "the same bytes" })).toBe("input");
});

test("before the kind of gateway is known, repeating the first key is a new key after the window, if the screen offers it [PH-121]", async () => {
  async function second(at: number, more: { equalText?: EqualText; text?: string } = {}) {
    const { text = "2", equalText = "offered" } = more;
    const send = numbered({ mode: "auto" });
    await send("", 0);
    await send(text, 0);
    return send(text, at, { equalText });
  }
  expect(await second(REPLAY_WINDOW_MS - 1)).toBe("replay");
  expect(await second(REPLAY_WINDOW_MS)).toBe("input");
  // A gateway that sends only the latest input sends no text of several inputs.
  expect(await second(60_000, { text: "2*2" })).toBe("replay");
  const { send } = phone();
  await send("", 0);
  await send("7", 0);
  expect((await send("7", 60_000)).kind).toBe("replay");
});

test("a gateway that is known as cumulative can repeat its first key any number of times [PH-121]", async () => {
  const known: TextHistory = {
    mode: "cumulative",
    accepted: [{ length: 1, digest: await digest("2") }],
    answeredAt: 0,
  };
  const request = { text: "2", serviceCode: "*2233#", arrivedAt: 60_000, equalText: "offered" as const };
  expect((await readText(request, known, auto)).kind).toBe("replay");
  expect((await readText(request, { ...known, mode: "latest" }, auto)).kind).toBe("input");
});

test("an empty text after an input is a late copy within the window, and another call after it [PH-27, PH-126]", async () => {
  for (const text of ["", "*2233#"]) {
    const { send } = phone();
    await send("", 0);
    await send("1", 0);
    expect((await send(text, REPLAY_WINDOW_MS - 1)).kind).toBe("show");
    expect((await send(text, REPLAY_WINDOW_MS)).kind).toBe("redial");
  }
  const { send } = phone();
  await send("", 0);
  expect((await send("", 60_000)).kind).toBe("replay");
  const marked = { text: "", serviceCode: "*2233#", arrivedAt: 60_000, isInput: true };
  const history: TextHistory = { mode: "latest", accepted: [{ length: 1, digest: "d" }], answeredAt: 0 };
  expect((await readText(marked, history, auto)).kind).toBe("show");
});

test("a text beyond the limit is read only if it continues the known text, and up to its own length [PH-120]", async () => {
  const text = "2*2";
  const known: TextHistory = {
    mode: "cumulative",
    accepted: [{ length: 3, digest: await digest(text) }],
    answeredAt: 0,
  };
  const read = async (long: string, history = known) =>
    (await readLongText({ text: long, serviceCode: "*2233#", arrivedAt: 0 }, history, auto))?.kind;
  expect(await read(`${text}*${"x".repeat(182)}`)).toBe("input");
  expect(await read(`${text}*${"x".repeat(183)}`)).toBeUndefined();
  expect(await read(`2*3*${"x".repeat(182)}`)).toBeUndefined();
  expect(await read(`${text}*${"x".repeat(182)}`, { ...known, mode: "latest" })).toBeUndefined();
  expect(
    await read("x".repeat(183), { ...known, accepted: [{ length: 0, digest: await digest("") }] }),
  ).toBeUndefined();
  const long = `${text}*${"x".repeat(182)}`;
  const accepted = [...known.accepted, { length: long.length, digest: await digest(long) }];
  expect(await read(long, { ...known, accepted })).toBe("replay");
  expect(await read(`${long}*why`, { ...known, accepted })).toBe("input");
});

test("a resynchronisation is reported, but not for an expected step of a latest-only gateway [PH-28]", async () => {
  expect(await after(["", "1", "1*1", "7*8*9"])).toMatchObject({ kind: "input", resync: true });
  expect(await after(["", "1", "2"])).toMatchObject({ resync: true, history: { mode: "latest" } });
  expect(await after(["", "1", "2", "3"])).toMatchObject({ resync: false });
  expect(await after(["", "1", "1*2"])).toMatchObject({ resync: false, history: { mode: "cumulative" } });
});

test("forced modes stay [PH-31]", async () => {
  const latest: TextRules = { ...auto, mode: "latest" };
  const whole = await after(["", "1", "1*5"], latest);
  expect(whole).toMatchObject({ input: { kind: "entry", remainder: "1*5" }, history: { mode: "latest" } });
  expect(meant(await after(["", "1", "**"], latest))).toEqual(["input", "exit"]);
  const cumulative: TextRules = { ...auto, mode: "cumulative" };
  expect(await after(["", "1", "2"], cumulative)).toMatchObject({ resync: true, history: { mode: "cumulative" } });
  expect(meant(await after(["", "1", "2", "1"], cumulative))).toBe("replay");
});

test("without direct dial the first text is only recorded [PH-24]", async () => {
  const { send } = phone({ ...auto, directDial: false });
  expect(meant(await send("2*1"))).toEqual(["open", undefined]);
  expect(meant(await send("2*1"))).toBe("replay");
  expect(meant(await send("2*1*5"))).toEqual(["input", ["5"]]);
});

test("after END, a repeated or older text gets that END again, another text a new session [PH-78]", async () => {
  const { send, history } = phone();
  for (const text of ["", "1", "1*1", "1*1**"]) await send(text);
  const remembered = history();
  if (remembered === undefined) throw new Error("no history");
  const ended = async (text: string): Promise<unknown> =>
    meant(await textAfterEnd({ text, serviceCode: "*2233#", arrivedAt: 0 }, remembered, auto));
  expect(await ended("1*1**")).toBe("replay");
  expect(await ended("1")).toBe("replay");
  expect(await ended("")).toEqual(["open", undefined]);
  expect(await ended("*2233#")).toEqual(["open", undefined]);
  expect(await ended("1*1**2")).toEqual(["open", undefined]);
});

test("stores no text, and no more digests than there can be [PH-112]", async () => {
  const { send, history } = phone();
  await send("");
  await send("43219secret");
  for (let step = 0; step < 2 * ACCEPTED_TEXTS_KEPT; step += 1) await send(String(step), step * 10_000);
  expect(history()?.accepted).toHaveLength(ACCEPTED_TEXTS_KEPT);
  expect(JSON.stringify(history())).not.toContain("secret");
});

test("a question keeps its stars; other inputs are split at stars, and empty ones dropped [PH-33]", () => {
  expect(takeSegment("2*1*John", true)).toEqual({ segment: "2*1*John", rest: "" });
  expect(takeSegment("2**1*", false)).toEqual({ segment: "2", rest: "*1*" });
  expect(takeSegment("*1*", false)).toEqual({ segment: "1", rest: "" });
  expect(takeSegment("***", false)).toBeUndefined();
  expect(takeSegment("", true)).toBeUndefined();
});

const anyText = fc.oneof(
  fc.constantFrom("", "1", "2", "*", "**", "1*1", "1*1**", "1*", "*2233#", "*2233*2#"),
  fc.string({ unit: fc.constantFrom(...Array.from("012*#a🙂\uFFFD")), maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const anyRules = fc.constantFrom<TextRules>(
  auto,
  { ...auto, directDial: false },
  { ...auto, mode: "cumulative" },
  { ...auto, mode: "latest" },
);

test("a repeated request is never a second input, whatever came before [PH-25]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { maxLength: 12 }), anyText, anyRules, async (before, text, rules) => {
      const { send } = phone(rules);
      for (const [index, earlier] of before.entries()) await send(earlier, index * 10_000);
      const at = before.length * 10_000;
      const first = await send(text, at);
      // The session starts again: the new session interprets its next text.
      if (first.kind === "redial") return;
      for (let copy = 0; copy < 3; copy += 1) {
        const again = await send(text, at + copy);
        const quiet = first.kind === "replay" || first.kind === "show" ? [first.kind] : ["replay", "show"];
        expect(quiet).toContain(again.kind);
      }
    }),
    { numRuns },
  );
});

test("a cumulative history gives each input once, with copies and late ones in between [PH-25, PH-26]", async () => {
  const key = fc.string({ unit: fc.constantFrom(...Array.from("0123abé🙂 ")), minLength: 1, maxLength: 6 });
  const plan = fc.array(fc.record({ key, copies: fc.nat(2), late: fc.nat(20) }), { minLength: 2, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      const { send } = phone();
      await send("");
      const sent: string[] = [];
      const inputs: unknown[] = [];
      for (const { key, copies, late } of steps) {
        const text = sent.length === 0 ? key : `${sent.at(-1)}*${key}`;
        sent.push(text);
        for (let copy = 0; copy <= copies; copy += 1) inputs.push(await send(text));
        // Before the second input the two kinds of gateway are indistinguishable, but then there is no older text
        // either.
        inputs.push(await send(sent[late % sent.length] ?? text));
      }
      const given = (inputs as TextMeaning[]).flatMap((meaning) =>
        meaning.kind === "input" && meaning.input.kind === "entry" ? [meaning.input.remainder] : [],
      );
      expect(given).toEqual(steps.map(({ key }) => key));
    }),
    { numRuns },
  );
});

test("the inputs of one text are applied in order and completely [PH-33]", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from("ab*")) }), (remainder) => {
      const all = segments({ kind: "entry", remainder });
      expect(all).toEqual(remainder.split("*").filter((segment) => segment !== ""));
    }),
    { numRuns },
  );
});
