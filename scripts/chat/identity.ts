/**
 * The user's identity: an Ed25519 seed in a file that only they can read, and its did:key. Losing the file means losing the
 * sessions; there is no account to recover.
 */
import { randomUUID } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seedIssuer } from "../../sdk/src/core/key-issuer.ts";
import type { TokenIssuer } from "../../sdk/src/core/ucan-token.ts";
import { ChatFailure, exitCodes } from "./command-line.ts";

export type Identity = TokenIssuer;

/** Reads the seed in `directory`, or creates one from `randomSeed` (32 bytes) on the first run. */
export async function loadIdentity(directory: string, randomSeed: () => Uint8Array): Promise<Identity> {
  const path = join(directory, "identity");
  return await identityIn(path, readIfThere(path) ?? create(directory, path, randomSeed()));
}

/** Reads the seed in a file that must exist. */
export async function readIdentity(path: string): Promise<Identity> {
  const text = readIfThere(path);
  if (text === undefined) throw new ChatFailure(exitCodes.usage, `There is no key in ${path}.`);
  return await identityIn(path, text);
}

async function identityIn(path: string, text: string): Promise<Identity> {
  if (!/^[0-9a-f]{64}\s*$/.test(text)) {
    throw new ChatFailure(
      exitCodes.usage,
      `${path} does not hold a key (64 hex digits). Move it away to get a new one.`,
    );
  }
  return await seedIssuer(new Uint8Array(Buffer.from(text.trim(), "hex")));
}

function readIfThere(path: string): string | undefined {
  try {
    // A key that was copied here with wider permissions is restricted before it is used.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Linked into place whole: of two concurrent first runs one wins, and both use the winner's key. */
function create(directory: string, path: string, seed: Uint8Array): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fresh = join(directory, `.identity-${randomUUID()}`);
  writeFileSync(fresh, `${Buffer.from(seed).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(fresh, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  return readFileSync(path, "utf8");
}
