import { expect, test } from "vitest";
import { fixtureCommand } from "./arguments.ts";

test("the port, or what the suites expect", () => {
  expect(fixtureCommand.parse([], {})).toEqual({ port: 3000 });
  expect(fixtureCommand.parse(["--port", "4100"], {})).toEqual({ port: 4100 });
  expect(fixtureCommand.parse(["--help"], {})).toBe("help");
});

test.each([["--port", "0"], ["--port", "65536"], ["--port", "http"], ["--ports", "1"], ["more"]])(
  "%s %s is refused",
  (...words) => {
    expect(fixtureCommand.parse(words, {})).toBeInstanceOf(Error);
  },
);
