import { expect, test } from "vitest";
import { parseFixture } from "./arguments.ts";

test("the port, or what the suites expect", () => {
  expect(parseFixture([])).toEqual({ port: 3000 });
  expect(parseFixture(["--port", "4100"])).toEqual({ port: 4100 });
  expect(parseFixture(["--help"])).toBe("help");
});

test.each([["--port", "0"], ["--port", "65536"], ["--port", "http"], ["--ports", "1"], ["more"]])(
  "%s %s is refused",
  (...words) => {
    expect(parseFixture(words)).toBeInstanceOf(Error);
  },
);
