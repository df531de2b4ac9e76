/** The command line of the benchmark. */
import { expect, test } from "vitest";
import { parseBench, usage } from "./arguments.ts";

const measures = [
  { name: "health", about: "GET /health" },
  { name: "turn", about: "a whole turn" },
];

test("without words everything is measured, five rounds of a second a side", () => {
  expect(parseBench([], measures)).toEqual({ only: ["health", "turn"], seconds: 1, rounds: 5, json: false });
});

test("--only may be repeated and keeps the measures' own order", () => {
  expect(parseBench(["--only", "turn", "--only", "health"], measures)).toMatchObject({ only: ["health", "turn"] });
  expect(parseBench(["--only", "turn", "--json"], measures)).toMatchObject({ only: ["turn"], json: true });
});

test("fractions of a second are welcome, up to the limit", () => {
  expect(parseBench(["--seconds", "0.2"], measures)).toMatchObject({ seconds: 0.2 });
  expect(parseBench(["--seconds", "60"], measures)).toMatchObject({ seconds: 60 });
});

test.each([
  [["--only", "speed"], "--only takes one of health, turn"],
  [["--seconds", "0"], "--seconds takes"],
  [["--seconds", "61"], "--seconds takes"],
  [["--seconds", "soon"], "--seconds takes"],
  [["--rounds", "0"], "--rounds takes"],
  [["--rounds", "102"], "--rounds takes"],
  [["--rounds", "2.5"], "--rounds takes"],
  [["--fast"], "--fast"],
])("%j is a mistake that is named", (words, sentence) => {
  const parsed = parseBench(words, measures);
  expect(parsed).toBeInstanceOf(Error);
  expect((parsed as Error).message).toContain(sentence);
});

test("help is a wish of its own and names every measure", () => {
  expect(parseBench(["--help"], measures)).toBe("help");
  for (const { name, about } of measures) expect(usage(measures)).toMatch(new RegExp(`${name}\\s+${about}`));
});
