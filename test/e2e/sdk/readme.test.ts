/**
 * A new user with an empty Vite project, the packed SDK and its README: the README's commands and file, unchanged, make a chat with
 * the local server. The packages that `npm install` would fetch are linked from the repository, so that no network is needed; only
 * those that the project's package.json and the README's command name, and their dependencies, can be found.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectEnvironment } from "../../../scripts/run-command.ts";
import { hasBrowser, startBrowser } from "../../support/browser/browser.ts";
import { freePort } from "../../support/server/free-port.ts";
import { startRunningServer, type RunningServer } from "../../support/server/running-server.ts";
import { installPackages, packSdk } from "../../support/sdk/sdk-consumer.ts";
import { removeDirectory } from "../../support/server/remove-directory.ts";

const repository = resolve(import.meta.dirname, "../../..");
const readme = readFileSync(join(repository, "sdk/README.md"), "utf8");
const run = promisify(execFile);

const [, section = ""] = /^## A chat in 25 lines\n([\s\S]*?)^## /m.exec(readme) ?? [];
const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language, text = ""]) => ({
  language,
  text,
}));
const commands = blocks.flatMap(({ language, text }) => (language === "sh" ? text.trim().split("\n") : []));
const file = blocks.find(({ language }) => language === "tsx")?.text ?? "";

test("the chat has at most 25 lines of code [SD-215]", () => {
  const lines = file.split("\n").filter((line) => line.trim() !== "");
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.length).toBeLessThanOrEqual(25);
});

describe.runIf(hasBrowser)("following the README [SD-215]", () => {
  const folder = mkdtempSync(join(tmpdir(), "twinedge-sdk-readme-"));
  const environment = projectEnvironment({ NO_COLOR: "1" });
  let project = folder;
  let server: RunningServer;
  let development: ChildProcess | undefined;

  beforeAll(async () => {
    server = await startRunningServer({ LLM_PROVIDER: "local" });
  });
  afterAll(async () => {
    if (development?.pid !== undefined && development.exitCode === null) {
      const ended = once(development, "exit");
      process.kill(-development.pid, "SIGTERM");
      await ended;
    }
    await server.dispose();
    removeDirectory(folder);
  });

  /** One command of the README, without a network. */
  async function perform(command: string): Promise<void> {
    const [create, names] = [/^npm create vite@latest (.+)$/, /^npm install (.+)$/].map(
      (form) => form.exec(command)?.[1],
    );
    const [, entered] = /^cd (\S+)$/.exec(command) ?? [];
    if (create !== undefined) {
      const words = create.split(" ").filter((word) => word !== "--");
      await run(process.execPath, [join(repository, "node_modules/create-vite/index.js"), ...words], { cwd: project });
    } else if (entered !== undefined) project = join(project, entered);
    else if (names !== undefined) {
      const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
      const wanted = [...Object.keys({ ...dependencies, ...devDependencies }), ...names.split(" ")];
      const others = wanted.filter((name) => name !== "@twinedge/sdk");
      if (others.length === wanted.length) throw new Error("the README does not install the SDK");
      await installPackages(project, await packSdk(folder), others);
    } else throw new Error(`what is "${command}"?`);
  }

  test("the project is created, and compiles and builds with its own tools", async () => {
    expect(commands.at(-1)).toBe("npm run dev");
    for (const command of commands.slice(0, -1)) await perform(command);
    expect(file).toContain('"http://localhost:3000"');
    writeFileSync(join(project, "src/main.tsx"), file.replace("http://localhost:3000", server.url));
    await run("npm", ["run", "build"], { cwd: project, env: environment });
  });

  test("a user opens it, says hello, reads the answer, and finds both after a reload", async () => {
    const port = await freePort();
    const words = ["run", "dev", "--", "--port", String(port), "--strictPort"];
    development = spawn("npm", words, { cwd: project, env: environment, detached: true, stdio: "ignore" });
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      await expect.poll(() => page.goto(`http://localhost:${port}`).then((response) => response?.status())).toBe(200);
      await page.getByRole("button", { name: "New chat" }).click();
      await page.getByRole("textbox", { name: "Message" }).fill("hello");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("You said: hello").waitFor();
      await page.reload();
      await page.getByText("You said: hello").waitFor();
      await expect.poll(() => page.locator("p").allTextContents()).toEqual(["You: hello", "You said: hello"]);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
