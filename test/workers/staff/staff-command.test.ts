/** `npm run staff` against the real server: its output and its exit codes. */
import { expect, test } from "vitest";
import { exitCodes } from "../../../scripts/keys/run-keys.ts";
import type { Command } from "../../../scripts/staff/arguments.ts";
import { runStaff } from "../../../scripts/staff/run-staff.ts";
import { softwareAuthenticator } from "../../support/staff/software-authenticator.ts";
import { ADMIN_TOKEN, ORIGIN, staffEdge } from "../../support/staff/staff-edge.ts";

const edge = staffEdge();

async function run(command: Command, token = ADMIN_TOKEN) {
  const [printed, noted]: [string[], string[]] = [[], []];
  const code = await runStaff(
    { command, url: ORIGIN, json: false, tokenFromInput: false },
    {
      environment: { ADMIN_TOKEN: token },
      localVariables: () => new Map(),
      standardInput: async () => "",
      print: (text) => void printed.push(text),
      note: (text) => void noted.push(text),
      fetch: (input, init) => edge.send(new Request(input, { ...init, redirect: "manual" })),
    },
  );
  return { code, printed, noted: noted.join("\n") };
}

test("invites the first administrator, lists, disables and enables [ALL-45]", async () => {
  const invited = await run({ kind: "invite", name: "Ada", role: "administrator" });
  const [link = ""] = invited.printed;
  expect([invited.code, link]).toEqual([exitCodes.done, expect.stringMatching(/\/console\/invitation#[\w-]{43}$/)]);
  const [authenticator, page] = [await softwareAuthenticator(), edge.browser()];
  await edge.accept(page, link.split("#")[1] ?? "", authenticator);
  const { id } = (await page.call("GET", "/staff/me")).body.self;
  expect((await run({ kind: "list" })).printed).toEqual([`${id}  administrator  Ada  1 passkeys`]);
  expect((await run({ kind: "disable", staffId: id })).noted).toBe(`disabled ${id} "Ada"`);
  expect((await page.call("GET", "/staff/me")).status).toBe(401);
  expect((await run({ kind: "invite-again", staffId: id })).code).toBe(exitCodes.refused);
  expect((await run({ kind: "enable", staffId: id })).noted).toBe(`enabled ${id} "Ada"`);
  expect((await edge.signIn(page, authenticator)).status).toBe(200);
  expect((await run({ kind: "invite-again", staffId: id })).printed).toEqual([
    expect.stringContaining("/console/invitation#"),
  ]);
});

test("a wrong token has its own exit code [ALL-45]", async () => {
  expect((await run({ kind: "list" }, "wrong")).code).toBe(exitCodes.unauthorised);
});
