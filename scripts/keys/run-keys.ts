/**
 * One run of `npm run keys`: finds the operator's token, calls the registry, prints. Only the new key is passed to `print`, so that
 * a script can store it; it is never written anywhere else.
 */
import { readErrorBody } from "../../shared/error-body.ts";
import { isThisMachine, unreachable } from "../server-address.ts";
import type { Command, KeysOptions } from "./arguments.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unreachable: 3, unauthorised: 4 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The program's dependencies on its process. */
export interface KeysProcess {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The variables of the local server. */
  readonly localVariables: () => ReadonlyMap<string, string>;
  readonly standardInput: () => Promise<string>;
  /** Standard output and standard error, line by line. */
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly fetch: typeof fetch;
  readonly freshDid: () => Promise<string>;
}

/** A key as the registry describes it (`GET /openapi/registry.json`). */
interface Key {
  readonly id: string;
  readonly label: string;
  readonly start: string;
  readonly did: string;
  readonly role: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly replacedBy: string | null;
  readonly key?: string;
}

export async function runKeys(options: KeysOptions, process: KeysProcess): Promise<ExitCode> {
  const token = await operatorToken(options, process);
  if (token === undefined) {
    process.note("npm run keys: no operator token; set ADMIN_TOKEN, or give it with --token-stdin");
    return exitCodes.unauthorised;
  }
  try {
    return await execute(options, token, process);
  } catch (error) {
    process.note(`npm run keys: ${unreachable(options.url, error)}`);
    return exitCodes.unreachable;
  }
}

async function execute(options: KeysOptions, token: string, process: KeysProcess): Promise<ExitCode> {
  const { command, json } = options;
  const request = await requestOf(command, process);
  if (command.kind === "list") return listKeys(options, request, token, process);
  const answer = await ask(options, request, token, process);
  if (!answer.ok) return refusal(answer.status, answer.text, process);
  if (command.kind === "revoke") process.note(`revoked ${command.keyId}`);
  else showNewKey(JSON.parse(answer.text) as Key, json, process);
  return exitCodes.done;
}

/** All pages, printed once the last one has arrived. */
async function listKeys(
  options: KeysOptions,
  first: RegistryRequest,
  token: string,
  process: KeysProcess,
): Promise<ExitCode> {
  const keys: Key[] = [];
  for (let path: string | undefined = first.path; path !== undefined;) {
    const answer = await ask(options, { ...first, path }, token, process);
    if (!answer.ok) return refusal(answer.status, answer.text, process);
    const { data, page } = JSON.parse(answer.text) as KeyPage;
    keys.push(...data);
    path = page.nextCursor === null ? undefined : `${first.path}&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  for (const key of keys) process.print(options.json ? JSON.stringify(key) : listed(key));
  if (keys.length === 0) process.note("no keys");
  return exitCodes.done;
}

interface KeyPage {
  readonly data: readonly Key[];
  readonly page: { readonly nextCursor: string | null };
}

interface RegistryRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

async function ask({ url }: KeysOptions, { method, path, body }: RegistryRequest, token: string, process: KeysProcess) {
  const response = await process.fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect would send the token elsewhere.
    redirect: "error",
  });
  return { ok: response.ok, status: response.status, text: await response.text() };
}

async function requestOf(command: Command, { freshDid }: KeysProcess): Promise<RegistryRequest> {
  switch (command.kind) {
    case "create": {
      const { kind: _, did, ...rest } = command;
      return { method: "POST", path: "/v1/api-keys", body: { ...rest, did: did ?? (await freshDid()) } };
    }
    case "list": {
      const query = new URLSearchParams({ limit: "100" });
      if (command.did !== undefined) query.set("did", command.did);
      if (command.state !== undefined) query.set("state", command.state);
      return { method: "GET", path: `/v1/api-keys?${query.toString()}` };
    }
    case "rotate": {
      const { keyId, overlapSeconds } = command;
      return { method: "POST", path: `/v1/api-keys/${keyId}/rotate`, body: { overlapSeconds } };
    }
    case "revoke":
      return { method: "DELETE", path: `/v1/api-keys/${command.keyId}` };
  }
}

function showNewKey(key: Key, json: boolean, { print, note }: KeysProcess): void {
  if (json) {
    print(JSON.stringify(key));
    return;
  }
  note(`${key.id} "${key.label}" acts as ${key.did}`);
  note(`scopes ${key.scopes.join(", ")}; ${key.expiresAt === null ? "does not expire" : `until ${key.expiresAt}`}`);
  note("The key goes to standard output only once: store it.");
  print(key.key ?? "");
}

/** One line: id, start, state, label, DID, scopes. */
function listed({ id, start, label, did, scopes, revokedAt, replacedBy, expiresAt, lastUsedAt }: Key): string {
  const end = revokedAt === null ? (expiresAt === null ? "" : `until ${expiresAt}`) : `revoked ${revokedAt}`;
  const notes = [end, replacedBy === null ? "" : `replaced by ${replacedBy}`, `last used ${lastUsedAt ?? "never"}`];
  return [id, `${start}…`, label, did, scopes.join(","), notes.filter((each) => each !== "").join("; ")].join("  ");
}

function refusal(status: number, text: string, { note }: KeysProcess): ExitCode {
  const { sentence = "the registry refused" } = readErrorBody(text, new Headers());
  note(`npm run keys: ${sentence} (${status})`);
  return status === 401 ? exitCodes.unauthorised : exitCodes.refused;
}

/** The token in `.dev.vars` is for this machine's own server; it is sent nowhere else. */
export async function operatorToken(
  { tokenFromInput, url }: Pick<KeysOptions, "tokenFromInput" | "url">,
  process: Pick<KeysProcess, "environment" | "localVariables" | "standardInput">,
): Promise<string | undefined> {
  if (tokenFromInput) return presence(await process.standardInput());
  return (
    presence(process.environment["ADMIN_TOKEN"]) ??
    (isThisMachine(url) ? presence(process.localVariables().get("ADMIN_TOKEN")) : undefined)
  );
}

function presence(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
