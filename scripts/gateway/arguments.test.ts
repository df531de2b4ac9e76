import { expect, test } from "vitest";
import { parseGateway } from "./arguments.ts";

test.each([
  ["routes", { kind: "routes", url: "http://localhost:3000" }],
  ["routes --url https://g.example/", { kind: "routes", url: "https://g.example" }],
  ["check --node http://n:1317", { kind: "check", node: "http://n:1317", timeoutMs: 5000 }],
  ["check --node http://n --timeout 1", { kind: "check", node: "http://n", timeoutMs: 1 }],
  ["--help", "help"],
])("%s", (line, expected) => {
  expect(parseGateway(line.split(" "), {})).toEqual(expected);
});

test("the port of the environment", () => {
  expect(parseGateway(["routes"], { PORT: "8080" })).toMatchObject({ url: "http://localhost:8080" });
});

test.each([
  "",
  "nope",
  "routes more",
  "check",
  "check --node ftp://n",
  "check --node http://n --timeout 0",
  "check --url http://n",
  "check --node http://n --url http://n",
  "routes --node http://n",
  "routes --timeout 10",
  "routes --nope",
])("%j is wrong", (line) => {
  expect(parseGateway(line === "" ? [] : line.split(" "), {})).toBeInstanceOf(Error);
});
