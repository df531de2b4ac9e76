/**
 * The established client of oracles, for comparison: from the folder in TWINEDGE_FIELD_CLIENT, or from `npm pack`, cached once. It
 * is unpacked without its dependencies; this repository's are used.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot, runCommand } from "../../scripts/run-command.ts";

export const FIELD_CLIENT = "@ixo/oracles-client-sdk";
const VERSION = "1.4.0";

/** The folder whose node_modules contains it; undefined, with a message, if it is unavailable. */
export async function fieldClient(say: (line: string) => void): Promise<string | undefined> {
  const folder = join(projectRoot, "node_modules/.cache/twinedge-bench", VERSION);
  const target = join(folder, "node_modules", FIELD_CLIENT);
  const given = process.env["TWINEDGE_FIELD_CLIENT"];
  if (given !== undefined) {
    rmSync(target, { recursive: true, force: true });
    cpSync(given, target, { recursive: true });
  }
  if (existsSync(join(target, "package.json"))) return folder;
  const packed = mkdtempSync(join(tmpdir(), "twinedge-field-client-"));
  try {
    const pack = await runCommand("npm", ["pack", `${FIELD_CLIENT}@${VERSION}`, "--pack-destination", packed]);
    const [archive] = /ixo-oracles-client-sdk-.*\.tgz/.exec(pack.output) ?? [];
    if (pack.code !== 0 || archive === undefined) {
      say(`${FIELD_CLIENT} ${VERSION} could not be fetched; TWINEDGE_FIELD_CLIENT may name a folder that holds it.`);
      return undefined;
    }
    mkdirSync(target, { recursive: true });
    const unpack = await runCommand("tar", ["-xzf", join(packed, archive), "-C", target, "--strip-components=1"]);
    if (unpack.code !== 0) throw new Error(`${archive} could not be unpacked:\n${unpack.output}`);
    return folder;
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}
