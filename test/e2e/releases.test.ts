/** The stored state of each release, opened by the code of today: the public routes answer as they did. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import * as z from "zod";
import { runWrangler } from "../../scripts/wrangler.ts";
import { startStateServer } from "../support/releases/state-server.ts";
import { restoreFiles } from "../support/releases/stored-files.ts";
import { readState, storedNames } from "../support/releases/user-of-state.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";

const releases = resolve(import.meta.dirname, "../releases");
const record = z.object({ names: storedNames, answers: z.looseObject({}) });

test.each(readdirSync(releases))("the stored state of release %s is read by this code [ALL-64]", async (version) => {
  const storage = mkdtempSync(join(tmpdir(), "twinedge-release-"));
  onTestFinished(() => removeDirectory(storage));
  restoreFiles(join(releases, version), storage);
  const migrated = await runWrangler(["d1", "migrations", "apply", "DATABASE", "--local", "--persist-to", storage]);
  expect(migrated).toMatchObject({ code: 0 });
  const server = await startStateServer(inject("builtWorker"), storage);
  onTestFinished(() => server.close());
  const { names, answers } = record.parse(
    JSON.parse(readFileSync(join(releases, version, "answers.json"), "utf8")) as unknown,
  );
  // New members are allowed, as for any client.
  expect(await readState(server.url, names)).toMatchObject(answers);
});
