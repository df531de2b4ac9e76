import { resolve } from "node:path";
import { expect, test } from "vitest";
import { gatewayCommand } from "./arguments.ts";

test.each([
  ["routes", { kind: "routes", url: "http://localhost:3000" }],
  ["routes --url https://g.example/", { kind: "routes", url: "https://g.example" }],
  ["check --node http://n:1317", { kind: "check", node: "http://n:1317", timeoutMs: 5000 }],
  ["check --node http://n --timeout 1", { kind: "check", node: "http://n", timeoutMs: 1 }],
  [
    "image --node http://n:9090",
    { kind: "image", node: "http://n:9090", timeoutMs: 5000, out: resolve("gateway-image.binpb") },
  ],
  [
    "image --node http://n:9090 --out a.binpb --timeout 9",
    { kind: "image", node: "http://n:9090", timeoutMs: 9, out: resolve("a.binpb") },
  ],
  ["--help", "help"],
])("%s", (line, expected) => {
  expect(gatewayCommand.parse(line.split(" "), {})).toEqual(expected);
});

test("a file is relative to the caller's directory", () => {
  const words = ["image", "--node", "http://n:9090", "--out", "a.binpb"];
  expect(gatewayCommand.parse(words, { INIT_CWD: "/home/dev" })).toMatchObject({ out: "/home/dev/a.binpb" });
});

test("the port comes from the environment", () => {
  expect(gatewayCommand.parse(["routes"], { PORT: "8080" })).toMatchObject({ url: "http://localhost:8080" });
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
  "routes --out f",
  "check --node http://n --out f",
  "image",
  "image --node n:9090",
])("%j is refused", (line) => {
  expect(gatewayCommand.parse(line === "" ? [] : line.split(" "), {})).toBeInstanceOf(Error);
});
