/**
 * The secrets of a development machine, in `.dev.vars`, which wrangler reads. Missing ones are appended with fresh random values;
 * an existing line is never changed, moved or removed, even if its value is empty or wrong.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

export interface DevelopmentSecret {
  readonly name: string;
  readonly purpose: string;
  readonly make: () => string;
}

/** 32 random bytes in hexadecimal: the form of every 256-bit key and token here. */
function random256(): string {
  return randomBytes(32).toString("hex");
}

/** One row per secret of the existing surfaces; a later surface adds its own. */
export const developmentSecrets: readonly DevelopmentSecret[] = [
  { name: "ORACLE_SIGNING_SEED", purpose: "Ed25519 seed of the oracle's own DID, 64 hex digits.", make: random256 },
  {
    name: "ADMIN_TOKEN",
    purpose: "The operator's token: gives access to /v1/api-keys; `npm run keys` reads it.",
    make: random256,
  },
  {
    name: "DEV_API_KEY",
    purpose: "An API key with every scope, for did:web:localhost; valid only in development.",
    make: random256,
  },
  {
    name: "PIN_ENCRYPTION_KEY",
    purpose: "Encrypts the PINs and keys of phone customers, 64 hex digits. If you lose it, all accounts are lost.",
    make: random256,
  },
  {
    name: "USSD_OPERATOR_TOKEN",
    purpose: "The phone gateway's operator: gives access to /api/ussd/ops; `npm run pins` reads it.",
    make: random256,
  },
];

export interface CompletedFile {
  readonly text: string;
  readonly added: readonly string[];
}

/** The file's text with missing secrets appended. The given text is a prefix of the result. */
export function completeDevVars(text: string, secrets: readonly DevelopmentSecret[]): CompletedFile {
  const present = namesIn(text);
  const missing = secrets.filter(({ name }) => !present.has(name));
  if (missing.length === 0) return { text, added: [] };
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const lines = missing.map(({ name, purpose, make }) => `# ${purpose}\n${name}=${make()}\n`);
  return { text: text + gap + lines.join(""), added: missing.map(({ name }) => name) };
}

/** Creates or completes the file; only its owner can read it. Returns the names that were added. */
export function completeDevVarsFile(path: string, secrets: readonly DevelopmentSecret[]): readonly string[] {
  const present = readIfThere(path);
  const { text, added } = completeDevVars(present ?? "", secrets);
  if (present === undefined) {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return added;
  }
  // First, so that no other user can read the additions.
  chmodSync(path, 0o600);
  // Appended instead of rewritten: a crash in between cannot lose an existing secret.
  if (added.length > 0) writeFileSync(path, text.slice(present.length), { flag: "a" });
  return added;
}

/** The file's variables; empty if there is no file. Quotes around a value are removed. */
export function readDevVarsFile(path: string): ReadonlyMap<string, string> {
  const lines = (readIfThere(path) ?? "").matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*=[ \t]*(.*?)\s*$/gm);
  return new Map([...lines].map(([, name = "", value = ""]) => [name, value.replace(/^(["'])(.*)\1$/, "$2")]));
}

/** Names as dotenv parses them: an optional `export`, spaces around the name, `=` or `:`. */
function namesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/gm)].map(([, name]) => name ?? ""));
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
