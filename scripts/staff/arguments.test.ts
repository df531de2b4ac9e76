/** The command line of `npm run staff`. */
import { expect, test } from "vitest";
import { staffCommand } from "./arguments.ts";

const parse = (words: readonly string[]) => staffCommand.parse(words, {});

test.each([
  [["invite", "--name", "Ada", "--role", "viewer"], { kind: "invite", name: "Ada", role: "viewer" }],
  [["invite", "--id", "staff_1"], { kind: "invite-again", staffId: "staff_1" }],
  [["list"], { kind: "list" }],
  [["disable", "staff_1"], { kind: "disable", staffId: "staff_1" }],
])("%j is a command [ALL-45]", (words, command) => {
  expect(parse(words)).toMatchObject({ command, url: "http://localhost:3000", json: false });
});

test.each([
  [["invite"], "invite needs --name, the person's name"],
  [["invite", "--name", "Ada", "--role", "owner"], "invite needs --role: viewer, support, operator"],
  [["invite", "--id", "staff_1", "--name", "Ada"], "invite takes --id, or --name and --role"],
  [["disable"], "disable takes a person's id: staff_…"],
  [["list", "--role", "viewer"], "list takes no --name, --role or --id"],
  [["remove"], "name a command: invite, list, disable or enable"],
])("%j is refused with a sentence [ALL-45]", (words, sentence) => {
  expect(parse(words)).toMatchObject({ message: expect.stringContaining(sentence) });
});
