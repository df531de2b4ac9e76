/**
 * Run at each release: `node test/support/releases/record.ts 0.2.0`. Fills a server of today's code and keeps its storage in
 * `test/releases/<version>`, for the tests of all later releases.
 */
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import buildWorker, { BUILT } from "../server/built-worker.ts";
import { removeDirectory } from "../server/remove-directory.ts";
import { startStateServer } from "./state-server.ts";
import { keepFiles } from "./stored-files.ts";
import { fillState, readState } from "./user-of-state.ts";

const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("the version is missing, such as 0.2.0");
const target = resolve(import.meta.dirname, "../../releases", version);
const removeBuilt = await buildWorker({ provide: () => undefined });
const storage = mkdtempSync(join(tmpdir(), "twinedge-release-"));
const built = process.env[BUILT] ?? "";
cpSync(join(built, "state"), storage, { recursive: true });
const server = await startStateServer(built, storage);
const names = await fillState(server.url);
const answers = await readState(server.url, names);
await server.close();
keepFiles(storage, target);
writeFileSync(join(target, "answers.json"), `${JSON.stringify({ names, answers }, null, 2)}\n`);
removeDirectory(storage);
removeBuilt();
