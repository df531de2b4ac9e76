/**
 * An environment whose secret variables (those marked as secret in docs/configuration.md, and one of a plugin) have unique values;
 * and a search for these values in the encodings in which a program might repeat them.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const configuration = readFileSync(join(import.meta.dirname, "../../../docs/configuration.md"), "utf8");

/** The names of all secret variables. */
export const secretVariables: readonly string[] = [
  ...[...configuration.matchAll(/^\| `([A-Z0-9_]+)` \(secret\)/gm)].map(([, name = ""]) => name),
  "WEATHER_API_KEY",
];

/** 64 hexadecimal digits, which every variable accepts as a secret; variables with JSON contain the value in it. */
const secretOf = (name: string): string => createHash("sha256").update(`canary ${name}`).digest("hex");

const inJson: Readonly<Record<string, (secret: string) => string>> = {
  REGISTRY_BOOTSTRAP_KEYS: (key) =>
    JSON.stringify([{ key, did: "did:example:one", role: "owner", scopes: ["domains:read"] }]),
  PIN_ENCRYPTION_KEYS_OLD: (key) => JSON.stringify({ k0: key }),
  MCP_SERVERS: (key) =>
    JSON.stringify([{ name: "one", url: "https://mcp.example/", headers: { Authorization: `Bearer ${key}` } }]),
};

/** Every secret variable with its value. The oracle's two are alternatives, so the mnemonic is omitted. */
export const canaryEnv: Readonly<Record<string, string>> = Object.fromEntries(
  secretVariables
    .filter((name) => name !== "ORACLE_MNEMONIC")
    .map((name) => [name, inJson[name]?.(secretOf(name)) ?? secretOf(name)]),
);

/** The variables whose secret is in the text, raw or encoded. */
export function canariesIn(text: string): readonly string[] {
  return secretVariables.filter((name) => formsOf(secretOf(name)).some((form) => text.includes(form)));
}

function formsOf(secret: string): readonly string[] {
  const encoded = [0, 1, 2].map((offset) =>
    // At each base64 offset in a longer text; the ends depend on the neighbouring bytes.
    Buffer.from("x".repeat(offset) + secret)
      .toString("base64")
      .slice(offset === 0 ? 0 : 4, -4),
  );
  const bytes = Buffer.from(secret, "hex");
  return [
    secret,
    secret.toUpperCase(),
    Buffer.from(secret).toString("hex"),
    bytes.toString("base64").slice(0, 42),
    bytes.toString("base64url").slice(0, 42),
    ...encoded,
  ];
}
