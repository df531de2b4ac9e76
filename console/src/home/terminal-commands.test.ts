/** The commands on the home screen name the server unless it is the default one. */
import { expect, test } from "vitest";
import { commandsFor } from "./terminal-commands.ts";

test("the default address is omitted", () => {
  expect(commandsFor("http://localhost:3000").map(({ command }) => command)).toEqual([
    'npm run keys -- create --name "my app"',
    "npm run ussd",
    'npm run chat -- "hello"',
    "curl http://localhost:3000/ixo/token/params",
  ]);
});

test("another address is named in each", () => {
  expect(commandsFor("http://localhost:4000").map(({ command }) => command)).toEqual([
    'npm run keys -- create --name "my app" --url http://localhost:4000',
    "npm run ussd -- --url http://localhost:4000",
    'npm run chat -- --url http://localhost:4000 "hello"',
    "curl http://localhost:4000/ixo/token/params",
  ]);
});
