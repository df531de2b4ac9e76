/**
 * `npm run screenshots`: starts the Worker over separate storage, fills it as a programme would, and takes the pictures and
 * recordings of the README and the documents in a browser. They are committed, so run it after a visible change of the console.
 */
import { launchBrowser, hasBrowser } from "../test/support/browser/browser.ts";
import buildWorker from "../test/support/server/built-worker.ts";
import { startRunningServer } from "../test/support/server/running-server.ts";
import { defineCommand, runAs } from "./command.ts";
import { fillProgramme } from "./screenshots/programme.ts";
import { shots, type Studio } from "./screenshots/shots.ts";
import { imageFolder, writeImage } from "./screenshots/image-files.ts";

/** Overrides `.dev.vars`. */
const settings = {
  LLM_PROVIDER: "local",
  APP_NAME: "Clean Cooking",
  // A busy machine may take longer for a screen of the phone than gateways wait.
  USSD_REPLY_BUDGET_MS: "9000",
} as const;

const usage = `Usage: npm run screenshots -- [options]

Starts the Worker on a free port over storage of its own, adds sample data through its public interface, and writes the pictures of the
README and the documents into docs/images. Needs the system's Chromium, at /usr/bin/chromium.

  --only NAME   only this picture; may be repeated. Names: ${shots.map(({ name }) => name).join(", ")}
  --help        this text

Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

const command = defineCommand({
  name: "npm run screenshots",
  usage,
  options: { only: { type: "string", multiple: true, default: [] } },
  read({ values: { only } }) {
    const unknown = only.find((name) => shots.every((shot) => shot.name !== name));
    if (unknown !== undefined) throw new Error(`--only takes the name of a picture, not "${unknown}"`);
    return { wanted: shots.filter(({ name }) => only.length === 0 || only.includes(name)) };
  },
});

await runAs(command, async ({ wanted }) => {
  if (!hasBrowser) return 1;
  const removeBuilt = await buildWorker({ provide: () => undefined });
  const server = await startRunningServer(settings);
  const browser = await launchBrowser();
  try {
    const studio: Studio = { server, browser, programme: await fillProgramme(server) };
    let code = 0;
    for (const { name, take } of wanted) {
      try {
        const bytes = await writeImage(name, await take(studio));
        process.stdout.write(`${imageFolder}/${name}.webp  ${Math.ceil(bytes / 1024)} KiB\n`);
      } catch (error) {
        // One failure does not prevent the other pictures.
        process.stderr.write(`npm run screenshots: ${name}: ${(error as Error).message}\n`);
        code = 1;
      }
    }
    return code;
  } finally {
    await browser.close();
    await server.dispose();
    removeBuilt();
  }
});
