/**
 * One run of `npm run token`: finds the key and the audience, signs, prints. The output of `print` is a shell script, one token or
 * JSON; everything else goes to `note`. The key itself is printed only on request.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ChatFailure } from "../chat/command-line.ts";
import { loadIdentity, readIdentity, type Identity } from "../chat/identity.ts";
import { mintDelegation, mintInvocation } from "../chat/tokens.ts";
import { didDocument } from "../../protocol/records.ts";
import { unreachable } from "../server-address.ts";
import type { TokenOptions } from "./arguments.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, usage: 2, unreachable: 3 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The program's dependencies on its process. */
export interface TokenProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The parent of `.twinedge`, unless TWINEDGE_HOME is set. */
  readonly projectDirectory: string;
  /** Standard output and standard error, line by line. */
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly fetch: (url: string) => Promise<Response>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomSeed: () => Uint8Array;
}

interface Tokens {
  readonly did: string;
  readonly audience: string;
  readonly url: string;
  readonly invocation: { readonly token: string; readonly expiresAt: string };
  readonly delegation: { readonly token: string; readonly expiresAt: string };
}

export async function runToken(options: TokenOptions, process: TokenProcess): Promise<ExitCode> {
  const { print, note } = process;
  try {
    const directory = join(process.environment["TWINEDGE_HOME"] ?? join(process.projectDirectory, ".twinedge"), "chat");
    const key =
      options.keyFile === undefined
        ? await loadIdentity(directory, process.randomSeed)
        : await readIdentity(options.keyFile);
    const audience = options.audience ?? (await audienceOf(options.url, process));
    if (audience instanceof Error) {
      note(`npm run token: ${audience.message}`);
      return exitCodes.unreachable;
    }
    const tokens = await mintBoth(options, key, audience, process.now());
    const keyFile = options.keyFile ?? join(directory, "identity");
    const lines = linesOf(options.form, tokens, keyFile);
    for (const line of lines) print(line);
    if (options.showKey) note(`secret key of ${key.did}: ${readFileSync(keyFile, "utf8").trim()}`);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof ChatFailure)) throw error;
    note(`npm run token: ${error.message}`);
    return exitCodes.usage;
  }
}

/** The DID that the oracle publishes about itself, or a sentence with the error. */
async function audienceOf(url: string, { fetch }: TokenProcess): Promise<string | Error> {
  let response: Response;
  try {
    response = await fetch(`${url}/.well-known/did.json`);
  } catch (error) {
    return new Error(unreachable(url, error));
  }
  const document = didDocument.safeParse(await response.json().catch(() => undefined));
  if (response.ok && document.success) return document.data.id;
  return new Error(
    `${url}/.well-known/did.json answers ${response.status} and names no DID: is this an oracle? Set its DID with --audience`,
  );
}

async function mintBoth(
  { url, did, invocationTtl, delegationTtl }: TokenOptions,
  key: Identity,
  audience: string,
  now: number,
): Promise<Tokens> {
  const issuer: Identity = { did: did ?? key.did, sign: key.sign };
  const seconds = Math.floor(now / 1000);
  const [invocation, delegation] = await Promise.all([
    mintInvocation(issuer, audience, seconds, invocationTtl),
    mintDelegation(issuer, audience, seconds, delegationTtl),
  ]);
  return {
    did: issuer.did,
    audience,
    url,
    invocation: { token: invocation, expiresAt: timeOf(seconds + invocationTtl) },
    delegation: { token: delegation, expiresAt: timeOf(seconds + delegationTtl) },
  };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function linesOf(form: TokenOptions["form"], tokens: Tokens, keyFile: string): readonly string[] {
  if (form === "json") return [JSON.stringify(tokens)];
  if (form !== "shell") return [tokens[form].token];
  const { did, audience, url, invocation, delegation } = tokens;
  return [
    `# Signed as ${did}`,
    `# with the key in ${JSON.stringify(keyFile)}, for the oracle ${audience}.`,
    `export ORACLE=${quoted(url)}`,
    "",
    `# Proves who you are, until ${invocation.expiresAt}.`,
    `export INVOCATION=${invocation.token}`,
    "",
    `# Lets the oracle use your other services, until ${delegation.expiresAt}.`,
    `export DELEGATION=${delegation.token}`,
    "",
    '# Run the exports above, or all of it at once: eval "$(npm run -s token)". Then:',
    "#",
    `#   curl -X POST "$ORACLE/sessions" -H "Authorization: Bearer $INVOCATION" -H "X-Auth-Type: ucan"`,
    `#   SESSION=...   # the sessionId of the answer`,
    `#   curl -N "$ORACLE/messages/$SESSION" -H "Authorization: Bearer $INVOCATION" -H "X-Auth-Type: ucan" \\`,
    `#     -H "Content-Type: application/json" -d '{"message":"hello","stream":true}'`,
    `#   curl "$ORACLE/messages/$SESSION" -H "x-ucan-delegation: $DELEGATION"`,
    `#   curl "$ORACLE/delegation" -H "Authorization: Bearer $INVOCATION" -H "X-Auth-Type: ucan" \\`,
    `#     -H "Content-Type: application/json" -d "{\\"raw\\":\\"$DELEGATION\\"}"`,
    "#",
    `# In a browser: ${url}/docs, Authorize, the invocation under "invocation" and the word ucan under "authType".`,
  ];
}

/** One word of a shell script, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
