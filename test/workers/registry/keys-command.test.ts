/** `npm run keys` against the real registry: its output and its exit codes. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { Command, KeysOptions } from "../../../scripts/keys/arguments.ts";
import { exitCodes, runKeys, type KeysProcess } from "../../../scripts/keys/run-keys.ts";
import { ADMIN_TOKEN, registryEdge } from "../../support/registry/registry-edge.ts";

const edge = registryEdge({ DATABASE: env.DATABASE });
let lastDid = 0;

type Wish = Partial<Omit<KeysOptions, "command">> & { process?: Partial<KeysProcess> };

async function run(command: Command, { process = {}, ...options }: Wish = {}) {
  const [printed, noted]: [string[], string[]] = [[], []];
  const asked = { command, url: "http://localhost:3000", json: false, tokenFromInput: false, ...options };
  const code = await runKeys(asked, {
    environment: {},
    localVariables: () => new Map([["ADMIN_TOKEN", ADMIN_TOKEN]]),
    standardInput: async () => "",
    print: (text) => void printed.push(text),
    note: (text) => void noted.push(text),
    // The test runtime does not support redirect "error", which Node's fetch is given.
    fetch: (input, init) => edge.send(new Request(input, { ...init, redirect: "manual" })),
    freshDid: async () => `did:web:command-${(lastDid += 1)}.test`,
    ...process,
  });
  return { code, printed, noted: noted.join("\n") };
}

const create = (more: Partial<Command> = {}) =>
  ({
    kind: "create",
    label: "x",
    did: undefined,
    scopes: ["domains:read", "domains:write"],
    role: undefined,
    expiresAt: undefined,
    ...more,
  }) as Command;
const list = (did?: string, state?: string): Command => ({ kind: "list", did, state });
const rotate = (keyId: string, overlapSeconds?: number): Command => ({ kind: "rotate", keyId, overlapSeconds });
const revoke = (keyId: string): Command => ({ kind: "revoke", keyId });

const opens = async (key: string | undefined) =>
  (await edge.ask("GET", "/v1/api-keys/current", { key: key ?? "" })).body;

test("create --name x works alone: only the key on standard output, its facts on standard error [RG-17]", async () => {
  const { code, printed, noted } = await run(create());
  expect([code, printed.length]).toEqual([exitCodes.done, 1]);
  expect(await opens(printed[0])).toMatchObject({
    label: "x",
    did: "did:web:command-1.test",
    scopes: ["domains:read", "domains:write"],
  });
  expect(noted).toContain("did:web:command-1.test");
  expect(noted).not.toContain(printed[0]);
});

test("list, rotate and revoke use the id that create printed [RG-17]", async () => {
  const did = "did:web:command-life.test";
  const created = await run(create({ label: "life", did }), { json: true });
  const { id, key } = JSON.parse(created.printed[0] ?? "") as { id: string; key: string };
  const listed = await run(list(did));
  expect(listed.printed).toHaveLength(1);
  expect(listed.printed[0]).toContain(id);
  expect(listed.printed[0]).not.toContain(key);

  const rotated = await run(rotate(id, 0));
  expect(rotated.code).toBe(exitCodes.done);
  expect((await opens(key)).code).toBe("invalid_token");
  const { id: successor } = await opens(rotated.printed[0]);
  expect((await run(rotate(id))).code).toBe(exitCodes.refused);

  expect(await run(revoke(successor))).toMatchObject({ code: exitCodes.done, printed: [] });
  expect((await opens(rotated.printed[0])).code).toBe("invalid_token");
  expect((await run(list(did, "revoked"), { json: true })).printed.map((line) => JSON.parse(line).id)).toEqual([
    successor,
  ]);
  expect((await run(list(did, "active"))).noted).toContain("no keys");
});

test("the list is read to its end, page by page", async () => {
  const did = "did:web:command-pages.test";
  for (let made = 0; made < 101; made += 1) await edge.keyOf(did, ["domains:read"]);
  const { printed } = await run(list(did), { json: true });
  expect(new Set(printed.map((line) => JSON.parse(line).id)).size).toBe(101);
});

test("the token comes from standard input, the environment or, for this machine's own server, from .dev.vars", async () => {
  const localVariables = () => new Map<string, string>();
  const codeOf = async (wish: Wish) => (await run(list("did:web:nobody.test"), wish)).code;
  expect(await codeOf({ process: { localVariables } })).toBe(exitCodes.unauthorised);
  expect(await codeOf({ process: { localVariables, environment: { ADMIN_TOKEN } } })).toBe(exitCodes.done);
  const standardInput = async () => `${ADMIN_TOKEN}\n`;
  expect(await codeOf({ tokenFromInput: true, process: { localVariables, standardInput } })).toBe(exitCodes.done);
  expect(await codeOf({ process: { environment: { ADMIN_TOKEN: "wrong" } } })).toBe(exitCodes.unauthorised);
  const asked: string[] = [];
  const spy: typeof fetch = async (input) => {
    asked.push(String(input));
    throw new Error("not reached");
  };
  expect(await codeOf({ url: "https://elsewhere.example", process: { fetch: spy } })).toBe(exitCodes.unauthorised);
  expect(asked).toEqual([]);
});

test("a refusal and an unreachable server have separate exit codes", async () => {
  const refused = await run(create({ scopes: ["everything"] }));
  expect([refused.code, refused.printed]).toEqual([exitCodes.refused, []]);
  expect(refused.noted).toContain("scopes");
  expect((await run(revoke("key_0000000000000000000000"))).code).toBe(exitCodes.refused);
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("connection refused") }));
  const gone = await run(list(), { process: { fetch } });
  expect(gone).toMatchObject({ code: exitCodes.unreachable, printed: [] });
  expect(gone.noted).toContain("connection refused");
});
