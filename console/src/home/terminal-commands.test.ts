/** The commands that the home screen offers name the server unless it is the usual one. */
import { expect, test } from "vitest";
import { commandsFor } from "./terminal-commands.ts";

test("the usual address is left out", () => {
  expect(commandsFor("http://localhost:3000").map(({ command }) => command)).toEqual([
    'npm run keys -- create --name "my app"',
    "npm run ussd",
    'npm run chat -- "hello"',
    "curl http://localhost:3000/ixo/token/params",
  ]);
});

test("another one is named in each", () => {
  expect(commandsFor("http://localhost:4000").map(({ command }) => command)).toEqual([
    'npm run keys -- create --name "my app" --url http://localhost:4000',
    "npm run ussd -- --url http://localhost:4000",
    'npm run chat -- --url http://localhost:4000 "hello"',
    "curl http://localhost:4000/ixo/token/params",
  ]);
});
