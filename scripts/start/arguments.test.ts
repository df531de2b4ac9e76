/** The command line of `npm start`: precedence and limits of the port, variables, refusals in words. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { startCommand } from "./arguments.ts";

const refusal = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const parsed = startCommand.parse(args, environment);
  return parsed instanceof Error ? parsed.message : parsed;
};

test("without options, the port is 3000 and the storage the default [ALL-26]", () => {
  expect(startCommand.parse([], {})).toEqual({
    port: 3000,
    stateFolder: join(projectRoot, ".wrangler/state"),
    variables: {},
  });
});

test("a descriptor set is a file, relative to the caller's directory", () => {
  expect(startCommand.parse(["--gateway-image", "a.binpb"], { INIT_CWD: "/home/dev" })).toMatchObject({
    gatewayImage: "/home/dev/a.binpb",
  });
});

test("--port overrides PORT, and an empty PORT is ignored [ALL-26]", () => {
  expect(startCommand.parse(["--port", "4000"], { PORT: "5000" })).toMatchObject({ port: 4000 });
  expect(startCommand.parse([], { PORT: "5000" })).toMatchObject({ port: 5000 });
  expect(startCommand.parse([], { PORT: "" })).toMatchObject({ port: 3000 });
});

test.each(["1", "65535"])("port %s is valid", (port) => {
  expect(startCommand.parse(["--port", port], {})).toMatchObject({ port: Number(port) });
});

test.each(["0", "65536", "80.5", "http", "-1"])("port %s is refused", (port) => {
  expect(refusal([`--port=${port}`])).toMatch(/whole number from 1 to 65535/);
});

test("a variable's value may contain equals signs, or be empty", () => {
  const args = ["--var", 'MODELS=[{"id":"a=b"}]', "--var", "ORACLE_NAME="];
  expect(startCommand.parse(args, {})).toMatchObject({ variables: { MODELS: '[{"id":"a=b"}]', ORACLE_NAME: "" } });
});

test.each(["NAME", "=value"])("--var %s is refused", (pair) => {
  expect(refusal([`--var=${pair}`])).toBe(`--var takes NAME=VALUE, not "${pair}"`);
});

test("help overrides everything else, and an unknown option is named", () => {
  expect(refusal(["--help", "--port", "x"])).toBe("help");
  expect(refusal(["--prot", "1"])).toMatch(/--prot/);
});

test("--postgres takes a URL or starts a local server; without it, a word is an error [RG-291]", () => {
  expect(startCommand.parse(["--postgres"], {})).toMatchObject({ postgres: "local" });
  const url = "postgresql://me:secret@localhost:5432/twinedge";
  expect(startCommand.parse(["--postgres", url, "--port", "4000"], {})).toMatchObject({ postgres: url, port: 4000 });
  expect(refusal([url])).toContain("takes options only");
  expect(refusal(["--postgres", "postgresql://me:secret@localhost"])).not.toContain("secret");
});
