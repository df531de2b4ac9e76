/** The command line of the benchmark. */
import { expect, test } from "vitest";
import { parseBench, usage } from "./arguments.ts";

const measures = [
  { name: "health", about: "GET /health" },
  { name: "turn", about: "a whole turn" },
];

test("without arguments, everything is measured: five rounds of a second per side, over 100,000 domains", () => {
  const usual = { only: ["health", "turn"], seconds: 1, rounds: 5, domains: 100_000, limits: {}, json: false };
  expect(parseBench([], measures)).toEqual(usual);
});

test("--only may be repeated and keeps the measures' own order", () => {
  expect(parseBench(["--only", "turn", "--only", "health"], measures)).toMatchObject({ only: ["health", "turn"] });
  expect(parseBench(["--only", "turn", "--json"], measures)).toMatchObject({ only: ["turn"], json: true });
});

test("fractions of a second are accepted, up to the limit", () => {
  expect(parseBench(["--seconds", "0.2"], measures)).toMatchObject({ seconds: 0.2 });
  expect(parseBench(["--seconds", "60"], measures)).toMatchObject({ seconds: 60 });
});

test("--domains accepts from the size of the small registry to a million", () => {
  expect(parseBench(["--domains", "1000"], measures)).toMatchObject({ domains: 1_000 });
  expect(parseBench(["--domains", "1000000"], measures)).toMatchObject({ domains: 1_000_000 });
});

test.each([
  [["--domains", "999"], "--domains takes"],
  [["--domains", "1000001"], "--domains takes"],
  [["--domains", "1000.5"], "--domains takes"],
  [["--only", "speed"], "--only takes one of health, turn"],
  [["--seconds", "0"], "--seconds takes"],
  [["--seconds", "61"], "--seconds takes"],
  [["--seconds", "soon"], "--seconds takes"],
  [["--rounds", "0"], "--rounds takes"],
  [["--rounds", "102"], "--rounds takes"],
  [["--rounds", "2.5"], "--rounds takes"],
  [["--fast"], "--fast"],
])("%j is refused by name", (words, sentence) => {
  const parsed = parseBench(words, measures);
  expect(parsed).toBeInstanceOf(Error);
  expect((parsed as Error).message).toContain(sentence);
});

test("help is a separate command and names every measure", () => {
  expect(parseBench(["--help"], measures)).toBe("help");
  for (const { name, about } of measures) expect(usage(measures)).toMatch(new RegExp(`${name}\\s+${about}`));
});

test("--set changes a parameter of the simulation, and names the known ones", () => {
  expect(parseBench(["--set", "votes=20000", "--set", "d1Bytes=1e9"], measures)).toMatchObject({
    limits: { votes: 20_000, d1Bytes: 1e9 },
  });
  expect(parseBench(["--set", "moon=1"], measures)).toMatchObject({
    message: expect.stringContaining("stepsPerSecond"),
  });
  expect(parseBench(["--set", "votes=-1"], measures)).toMatchObject({ message: "--set votes takes a number above 0" });
});
