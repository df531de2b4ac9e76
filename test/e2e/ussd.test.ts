/**
 * The phone gateway for a developer: `npm start`, `npm run ussd` with recorded flows and as a phone, a domain created through the
 * registry's API and looked up by phone, a line and a server that drop.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { runProgram } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");
const API_KEY = "ussd-flows-key-of-the-tests";
const OPERATOR_TOKEN = "operator-token-of-the-tests";
const DID = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK";

let server: RunningServer;
const started = disposeAfterTests();
beforeAll(async () => {
  const keys = [{ key: API_KEY, did: "did:web:flows.test", scopes: ["domains:write"] }];
  server = started(
    await startRunningServer({
      REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys),
      USSD_OPERATOR_TOKEN: OPERATOR_TOKEN,
      USSD_RATE_LIMIT_PER_MINUTE: "100000",
      // No replay window, so that flows with only the latest input need no pauses.
      USSD_REPLAY_WINDOW_MS: "0",
      // A busy machine may take longer than gateways should wait.
      USSD_REPLY_BUDGET_MS: "9000",
      USSD_ORACLE_BUDGET_MS: "9000",
    }),
  );
});

function ussd(words: readonly string[], input = "") {
  const command = ["scripts/ussd.ts", ...words, "--url", server.url];
  return runProgram(process.execPath, command, { cwd: projectRoot, input });
}

/** The exit code and the messages of a replay: no message if all went as recorded. */
async function printed(...words: readonly string[]) {
  const { status, stdout, stderr } = await ussd(words);
  return [
    status,
    stderr,
    ...stdout.split("\n").filter((line) => !/^(ok .*|(\d+) of \2 flows went as recorded\.|)$/.test(line)),
  ];
}
const AS_RECORDED = [0, ""];

const replay = (name: string) => ["--replay-file", `test/flows/${name}.yaml`];

/** The screens of a phone after these inputs, ending with the last one. */
async function phone(options: readonly string[], ...inputs: readonly string[]) {
  const { status, stdout, stderr } = await ussd(options, inputs.join("\n"));
  if (status !== 0) throw new Error(`${status}: ${stderr}`);
  return stdout;
}

async function post(path: string, token: string, body: object) {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json<Record<string, unknown>>();
}

async function newDomain() {
  const domain = {
    type: "Project",
    protocol: "did:ixo:protocol/clean-cooking",
    controllers: [DID],
    metadata: { name: "Clean Cooking Project" },
  };
  const { id } = await post("/v1/domains", API_KEY, domain);
  return String(id).slice(-8);
}

test.each([
  ["JSON, all that was typed", []],
  ["forms", ["--form"]],
])("recorded flows of menus and accounts replay: %s [PH-3, PH-35]", async (_, options) => {
  expect(await printed(...replay("menus"), ...replay("accounts"), ...options)).toEqual(AS_RECORDED);
});

// Not "know more": a gateway whose mode is not configured cannot begin with two equal inputs.
test("recorded flows replay with only the latest input sent [PH-28]", async () => {
  expect(
    await printed(
      ...replay("menus"),
      "--flow",
      "know more, with back",
      "--flow",
      "back chain",
      "--latest-only",
      "--pause",
      "0",
    ),
  ).toEqual(AS_RECORDED);
});

test.each(["africas-talking", "airtel", "hubtel", "infobip"])(
  "recorded flows replay as %s sends them",
  async (provider) => {
    expect(await printed(...replay("menus"), "--provider", provider, "--pause", "0")).toEqual(AS_RECORDED);
  },
);

test("recorded flows of a customer replay: a domain of the registry, the oracle, PIN, language, a dropped session [PH-43, PH-49, PH-62, PH-66]", async () => {
  const domainEnd = await newDomain();
  const screens = await phone(["--phone", "+260971230015"], "2", "2", "John Doe", "00", "43219", "43219");
  const customerId = /Your Customer ID: (C[0-9A-F]{9})/.exec(screens)?.[1] ?? "";
  await post(`/api/ussd/ops/customers/${customerId}/did`, OPERATOR_TOKEN, { did: DID });
  expect(
    await printed(...replay("services"), "--set", `domainEnd=${domainEnd}`, "--set", `customerId=${customerId}`),
  ).toEqual(AS_RECORDED);
});

test("the first difference is shown, with exit code 1", async () => {
  const folder = mkdtempSync(join(tmpdir(), "flows-"));
  try {
    const changed = join(folder, "changed.yaml");
    const recorded = readFileSync(resolve(projectRoot, "test/flows/services.yaml"), "utf8");
    writeFileSync(changed, recorded.replace("1. Know More", "1. Know Less"));
    const { status, stdout } = await ussd(["--replay-file", changed, "--flow", "ask the oracle"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^DIFFERENT {2}ask the oracle\n {4}step 1 of "an account", which comes before: dialled/);
    expect(stdout).toContain("    + 1. Know More\n");
    expect(stdout).toContain("\n0 of 1 flows went as recorded.\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the state has its published name; after a power cut and a redial, the draft is offered [PH-79, PH-96]", async () => {
  const caller = ["--phone", "+260971230025"];
  const begun = await phone(caller, "2", "2", "John Doe", "/state");
  expect(JSON.parse(begun.slice(begun.indexOf("\n{")))).toMatchObject({
    debugInfo: {
      state: "accountCreation",
      path: "accountCreation.emailEntry",
      context: { phoneNumber: "+260971230025", serviceCode: "*2233#", isAuthenticated: false },
      status: "active",
    },
  });
  await server.kill();
  await server.startAgain();
  const resumed = await phone(caller, "9", "*");
  expect(resumed).toContain("| 9. Continue where you left off           |");
  expect(resumed).toContain("| Enter your email address (optional):     |");
  expect(resumed).toMatch(/Goodbye!\s+\|\n\+-+\+\n\[call ended\] \d+ characters, \d+ of 182 septets\n$/);
});
