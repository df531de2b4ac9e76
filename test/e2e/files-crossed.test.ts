/**
 * How many files of the project one request runs through, from workers/index.ts to its reply: the files that a maintainer must read
 * to follow the request. docs/architecture.md has the numbers; dist/files-crossed.md has the lists.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/run-command.ts";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { startTracedWorker, type TracedWorker } from "../support/server/traced-worker.ts";
import { mintInvocation, signer } from "../support/auth/ucan.ts";

let worker: TracedWorker;
const started = disposeAfterTests();
beforeAll(async () => {
  worker = started(await startTracedWorker());
});

const lists: string[] = [];
afterAll(() => {
  mkdirSync(join(projectRoot, "dist"), { recursive: true });
  writeFileSync(join(projectRoot, "dist/files-crossed.md"), lists.join("\n"));
});

/** Runs `act` once, records its list, and returns how many files it ran through. */
async function crossed(request: string, act: () => Promise<string>, reply: RegExp): Promise<number> {
  const { files, value } = await worker.trace(act);
  expect(value).toMatch(reply);
  lists.push(`## ${request}: ${files.length}\n`, ...files.map((file) => `- ${file}`), "");
  return files.length;
}

async function call(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<string> {
  const response = await fetch(worker.url + path, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.text();
}

test("a vote that decides", async () => {
  const key = async (name: string, scopes: readonly string[], more: object = {}) => {
    const issued = await call(
      "POST",
      "/v1/api-keys",
      { Authorization: `Bearer ${worker.adminToken}` },
      {
        label: name,
        did: `did:example:${name}`,
        scopes,
        ...more,
      },
    );
    return { Authorization: `Bearer ${(JSON.parse(issued) as { key: string }).key}` };
  };
  const admin = await key("admin", ["registry:admin"]);
  const owner = await key("owner", ["domains:read", "domains:write"]);
  const representative = await key("rep", ["domains:read", "verification:propose"], { role: "compliance" });
  const voter = await key("amina", ["domains:read", "verification:vote"]);
  await call("PUT", "/v1/voters/did:example:amina", admin, { weight: 1 });
  const domain = { type: "Project", protocol: "did:ixo:protocol/clean-cooking", metadata: { name: "Clean Cooking" } };
  const { id } = JSON.parse(await call("POST", "/v1/domains", owner, domain)) as { id: string };
  const proposal = JSON.parse(
    await call("POST", `/v1/domains/${id}/proposals`, representative, { title: "Verify", package: {} }),
  ) as { id: string };
  const vote = () =>
    call("POST", `/v1/proposals/${proposal.id}/votes`, { ...voter, "Idempotency-Key": "one" }, { option: "yes" });
  expect(await crossed("A vote that decides", vote, /"option":"yes"/)).toBeLessThanOrEqual(LIMITS.vote);
});

test("a query to the gateway's own node", async () => {
  const query = () => call("GET", "/ixo/entity?pagination.limit=1", {});
  await query();
  expect(await crossed("A gateway query", query, /"entities"/)).toBeLessThanOrEqual(LIMITS.query);
});

test("a PIN on the phone", async () => {
  const typed: string[] = [];
  const press = (input: string) => {
    if (input !== "") typed.push(input);
    const text = typed.join("*");
    return call(
      "POST",
      "/api/ussd",
      {},
      { sessionId: "s1", serviceCode: "*2233#", phoneNumber: "+260971234567", text },
    );
  };
  let screen = "";
  for (const input of ["", "2", "2", "Ada Lovelace", "00", "43219", "43219"]) screen = await press(input);
  const customerId = /\bC[0-9A-F]{9}\b/.exec(screen)?.[0] ?? "";
  for (const input of ["1", "1", customerId]) await press(input);
  expect(await crossed("A PIN on the phone", () => press("43219"), /^CON Welcome/)).toBeLessThanOrEqual(LIMITS.pin);
});

// Last, because a run writes to the user's store a second after its end.
test("a streamed run with a tool call", async () => {
  const { id: oracle } = JSON.parse(await call("GET", "/.well-known/did.json", {})) as { id: string };
  const token = await mintInvocation(await signer(1), oracle, Math.floor(Date.now() / 1000) + 600);
  const headers = { Authorization: `Bearer ${token}`, "X-Auth-Type": "ucan" };
  const { sessionId } = JSON.parse(await call("POST", "/sessions", headers)) as { sessionId: string };
  const send = (message: string) => call("POST", `/messages/${sessionId}`, headers, { message, stream: true });
  await send("Hello there");
  const files = await crossed(
    "A streamed run with a tool call",
    () => send("please call me Ada"),
    /event: tool_call[^]*event: done/,
  );
  expect(files).toBeLessThanOrEqual(LIMITS.run);
});

/**
 * Maximum numbers of files; docs/architecture.md explains them. Lower a number when a change shortens the path. Raise one only
 * together with a page in docs/decisions/ that justifies the new files.
 */
const LIMITS = { run: 82, vote: 61, query: 54, pin: 54 };
