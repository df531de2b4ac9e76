/** The code in docs/guides/ works as the pages say: requests of telecom gateways, an indexer, a webhook receiver, an import. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { freePort } from "../support/server/free-port.ts";
import { runProgram, type ProgramOutcome } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const project = resolve(import.meta.dirname, "../..");
/** Inside the project, so that its packages are found. */
const folder = join(project, "dist", `guides-${process.pid}`);
const KEY = "a-key-of-the-guides-tests";
const bootstrap = [
  { key: KEY, did: "did:web:guides.test", scopes: ["registry:admin", "domains:read", "domains:write"] },
];

let server: RunningServer;
let webhookPort = 0;
const started = disposeAfterTests();
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  started({ close: () => rmSync(folder, { recursive: true, force: true }) });
  webhookPort = await freePort();
  server = started(
    await startRunningServer({
      REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(bootstrap),
      REGISTRY_WEBHOOK_HOSTS: `localhost:${webhookPort}`,
      ADMIN_TOKEN: "the-operator-token-of-the-guides-tests",
    }),
  );
});

interface Block {
  readonly language: string;
  readonly code: string;
}

/** The code blocks of a page, including those in list items. */
function blocksOf(page: string): readonly Block[] {
  const markdown = readFileSync(join(project, `docs/guides/${page}.md`), "utf8");
  return [...markdown.matchAll(/^( *)```(\w+)\n([^]*?)^ *```$/gm)].map(([, indent = "", language = "", code = ""]) => ({
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

function shell(script: string, env: NodeJS.ProcessEnv = {}): Promise<ProgramOutcome> {
  const port = new URL(server.url).port;
  return runProgram("bash", ["-euc", script], { cwd: project, env: { ...process.env, PORT: port, ...env } });
}

async function registry(method: string, path: string, body?: object): Promise<Response> {
  return await fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json", "If-Match": "*" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/**
 * Runs a program of a guide until the test is over, and collects its lines as they arrive. @param cwd where it stores its files.
 */
function runGuide(name: string, code: string, env: NodeJS.ProcessEnv, cwd: string = temporaryDirectory()) {
  const file = join(folder, name);
  writeFileSync(file, code);
  const child = spawn(process.execPath, [file], { cwd, env: { ...process.env, ...env } });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const errors = text(child.stderr);
  return {
    next: async (): Promise<string> => {
      const { done, value } = await lines.next();
      if (done === true) throw new Error(`${name} has ended: ${await errors}`);
      return value;
    },
    stored: (path: string) => readFileSync(join(cwd, path), "utf8"),
    stop: async (): Promise<void> => {
      child.kill();
      await once(child, "exit");
    },
  };
}

const countedLines = (code: string): number => code.split("\n").filter((line) => line.trim() !== "").length;

describe("a telecom gateway", () => {
  const blocks = blocksOf("telecom-gateway");
  const answered = blocks.flatMap((block, index) => {
    const answer = blocks[index + 1];
    return block.language === "sh" && answer?.language === "text" ? [{ script: block.code, answer: answer.code }] : [];
  });

  test("each provider has an example", () => {
    expect(answered.map(({ script }) => /\/api\/ussd(?:\/providers\/([\w-]+))?/.exec(script)?.[1])).toEqual([
      "africas-talking",
      "hubtel",
      "infobip",
      "airtel",
      undefined,
    ]);
  });

  test.each(answered)("gets the answer in the guide: $script [PH-2, PH-16, PH-17, PH-18, PH-19]", async (example) => {
    const run = await shell(example.script, { URL: server.url });
    // Replies have no final newline.
    expect([run.stdout.replaceAll(/(?<!^)(?=CON )/g, "\n").trimEnd(), run.stderr]).toEqual([
      example.answer.trimEnd(),
      "",
    ]);
  });
});

describe("an indexer", () => {
  const [follow = "", receive = ""] = blocksOf("index-the-registry").flatMap(({ language, code }) =>
    language === "js" ? [code] : [],
  );

  test("its programs have 30 lines at most", () => {
    expect([countedLines(follow), countedLines(receive)].filter((lines) => lines === 0 || lines > 30)).toEqual([]);
  });

  test("reads each change once, verifies its version, and continues after it [RG-54, RG-84]", async () => {
    const env = { REGISTRY: server.url, REGISTRY_API_KEY: KEY };
    const latest = await (await registry("GET", "/v1/changes?latest=0")).json<{ page: { nextAfter: number } }>();
    const { id } = await (
      await registry("POST", "/v1/domains", { type: "Project", class: "did:ixo:protocol/cooking" })
    ).json<{ id: string }>();
    const seq = latest.page.nextAfter + 1;
    const cwd = temporaryDirectory();
    const indexer = runGuide("follow.mjs", follow, env, cwd);
    let line = await indexer.next();
    while (!line.startsWith(`${seq} `)) line = await indexer.next();
    expect(line).toBe(`${seq} created ${id} AwaitingVerification`);
    await expect.poll(() => indexer.stored("seq")).toBe(String(seq));
    await indexer.stop();
    await registry("PATCH", `/v1/domains/${id}`, { externalId: "x" });
    const next = runGuide("follow.mjs", follow, env, cwd);
    expect(await next.next()).toBe(`${seq + 1} updated ${id} AwaitingVerification`);
    await next.stop();
  });

  test("accepts signed messages and refuses others [RG-146, RG-148]", async () => {
    const url = `http://localhost:${webhookPort}/hook`;
    const created = await registry("POST", "/v1/webhooks", { url });
    const { id, secret } = await created.json<{ id: string; secret: string }>();
    const receiver = runGuide("receive.mjs", receive, { WEBHOOK_SECRET: secret, PORT: String(webhookPort) });
    await expect
      .poll(() =>
        fetch(url, { method: "POST", body: "{}" }).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(401);
    await registry("POST", `/v1/webhooks/${id}/ping`);
    expect(await receiver.next()).toMatch(/^\S+ webhook\.ping\s*$/);
    const domain = await registry("POST", "/v1/domains", { type: "Project", class: "did:ixo:protocol/cooking" });
    const { id: domainId } = await domain.json<{ id: string }>();
    expect(await receiver.next()).toMatch(new RegExp(`^\\S+ domain\\.created \\d+ ${domainId}$`));
    await receiver.stop();
    await registry("DELETE", `/v1/webhooks/${id}`);
  });
});

describe("the cookbook", () => {
  const scripts = blocksOf("cookbook").flatMap(({ language, code }) => (language === "sh" ? [code] : []));
  const scriptWith = (words: string): string => scripts.find((script) => script.includes(words)) ?? "";

  test("imports its CSV file [RG-241]", async () => {
    const file = join(temporaryDirectory(), "stoves.csv");
    const run = await shell(scriptWith("stoves.csv").replaceAll("stoves.csv", file), { REGISTRY_API_KEY: KEY });
    expect([run.status, run.stderr]).toEqual([0, expect.stringMatching(/2 valid[^]*2 created/)]);
    const { data } = await (
      await registry("GET", "/v1/domains?externalId=ST-0001")
    ).json<{ data: readonly object[] }>();
    expect(data).toMatchObject([
      { type: "Device", owner: "did:example:amina", metadata: { name: "Stove 1", village: "Chipata" } },
    ]);
    expect(data).toMatchObject([{ validFrom: expect.stringMatching(/^2026-01-15/) }]);
  });

  test("gives a voter a key and puts them on the roll [RG-17, RG-100]", async () => {
    const created = await shell(scriptWith("--name"), { ADMIN_TOKEN: "the-operator-token-of-the-guides-tests" });
    expect([created.status, created.stdout.trim()]).toEqual([0, expect.stringMatching(/^twe_test_\w{49}$/)]);
    const did = /did:key:\w+/.exec(created.stderr)?.[0];
    const added = await shell(scriptWith("/v1/voters/"), { REGISTRY: server.url, DID: did, ADMIN_KEY: KEY });
    expect(JSON.parse(added.stdout)).toMatchObject({ did, weight: 1, label: "Amina Phiri", warning: null });
  });
});
