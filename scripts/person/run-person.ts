/** One run of `npm run person`: finds the surface and the token, calls the server, prints. No message repeats the person. */
import { unreachable } from "../server-address.ts";
import type { PersonOptions, PersonTask } from "./arguments.ts";
import { chunksOf, readErased, writeErased, type ErasedLine, type Surface } from "./erased-files.ts";
import { parseJsonLine } from "./json-line.ts";
import { operatorClient, Refused, tokenVariable, type OperatorClient, type PersonProcess } from "./operator-client.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, unauthorised: 4 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Entries or DIDs of one request. */
const AT_ONCE = 200;

type Person =
  | { readonly surface: "oracle"; readonly name: { readonly did: string } }
  | { readonly surface: "phone"; readonly name: { readonly customerId: string } | { readonly phoneNumber: string } };

export async function runPerson({ task, url }: PersonOptions, process: PersonProcess): Promise<ExitCode> {
  try {
    return await execute(task, url, process);
  } catch (error) {
    if (error instanceof Refused) {
      process.note(`npm run person: ${error.message}`);
      return error.status === 401 ? exitCodes.unauthorised : exitCodes.failed;
    }
    if (error instanceof InputError) {
      process.note(`npm run person: ${error.message}`);
      return exitCodes.failed;
    }
    process.note(`npm run person: ${unreachable(url, error)}`);
    return exitCodes.unreachable;
  }
}

/** A file that cannot be read, or does not contain what it should. */
class InputError extends Error {}

async function execute(task: PersonTask, url: string, process: PersonProcess): Promise<ExitCode> {
  if (task.kind === "list-erased") return listErased(url, process);
  const text = await inputOf(task.file, process);
  if (task.kind === "apply") {
    const restored = task.restored === undefined ? [] : linesOf(await inputOf(task.restored, process));
    return applyList(url, listIn(text), restored, process);
  }
  const { surface, name } = personIn(text);
  const client = operatorClient(url, surface, process);
  if (client === undefined) return tokenMissing(surface, process);
  if (task.kind === "export") return exportPerson(client, name, process);
  const receipt: unknown = await (await client.ask("erase", name)).json();
  process.print(JSON.stringify(receipt, undefined, 2));
  if ((receipt as { readonly state?: unknown }).state !== "pending") return exitCodes.done;
  process.note("A part could not be reached. The server continues the erasure; run the command again for the receipt.");
  return exitCodes.failed;
}

async function exportPerson(client: OperatorClient, name: object, process: PersonProcess): Promise<ExitCode> {
  const lines = linesOf(await (await client.ask("export", name)).text());
  for (const line of lines) process.print(line);
  if (parseJsonLine(lines.at(-1) ?? "")?.["kind"] === "end") return exitCodes.done;
  process.note("npm run person: the copy is incomplete; run the command again");
  return exitCodes.failed;
}

async function listErased(url: string, process: PersonProcess): Promise<ExitCode> {
  let isIncomplete = false;
  for (const surface of ["oracle", "phone"] as const) {
    const client = operatorClient(url, surface, process);
    if (client === undefined) {
      process.note(`npm run person: ${tokenVariable(surface)} is not set, so the list omits the ${surface}`);
      isIncomplete = true;
      continue;
    }
    for (let after: string | null = ""; after !== null;) {
      const page = (await (await client.ask(`erased?after=${encodeURIComponent(after)}`)).json()) as ErasedPage;
      for (const entry of page.erased) process.print(writeErased(surface, entry));
      after = page.next;
    }
  }
  return isIncomplete ? exitCodes.failed : exitCodes.done;
}

interface ErasedPage {
  readonly erased: readonly object[];
  readonly next: string | null;
}

interface Reapplied {
  readonly examined: number;
  readonly found: number;
  readonly next: string | null;
}

async function applyList(
  url: string,
  list: readonly ErasedLine[],
  restored: readonly string[],
  process: PersonProcess,
): Promise<ExitCode> {
  let outcome: ExitCode = exitCodes.done;
  for (const surface of ["oracle", "phone"] as const) {
    const entries = list.filter((line) => line.surface === surface).map(({ entry }) => entry);
    if (entries.length === 0) continue;
    const client = operatorClient(url, surface, process);
    if (client === undefined) {
      outcome = tokenMissing(surface, process);
      continue;
    }
    const unknownKeys = await addEntries(client, entries);
    const dids = surface === "oracle" ? restored : [];
    const { examined, found } = await findRestored(client, dids);
    process.print(`${surface}: ${entries.length} entries, ${examined} people compared, ${found} are erased again`);
    if (unknownKeys.length === 0) continue;
    process.note(
      `npm run person: no key has the id ${unknownKeys.join(", ")}; add it to PIN_ENCRYPTION_KEYS_OLD and apply the list again`,
    );
    outcome = exitCodes.failed;
  }
  return outcome;
}

/** Returns the ids of keys that the server does not have. */
async function addEntries(client: OperatorClient, entries: readonly object[]): Promise<readonly string[]> {
  const unknown = new Set<string>();
  for (const erased of chunksOf(entries, AT_ONCE)) {
    const response = await client.ask("erased/add", { erased });
    const { unknownKeys = [] } = (await response.json()) as { readonly unknownKeys?: readonly string[] };
    for (const id of unknownKeys) unknown.add(id);
  }
  return [...unknown];
}

async function findRestored(client: OperatorClient, dids: readonly string[]): Promise<Omit<Reapplied, "next">> {
  let [examined, found] = [0, 0];
  const count = (page: Reapplied): string | null => {
    examined += page.examined;
    found += page.found;
    return page.next;
  };
  for (const some of chunksOf(dids, AT_ONCE))
    count((await (await client.ask("reapply", { dids: some })).json()) as Reapplied);
  for (let after: string | null = ""; after !== null;)
    after = count((await (await client.ask("reapply", { after })).json()) as Reapplied);
  return { examined, found };
}

function tokenMissing(surface: Surface, { note }: PersonProcess): ExitCode {
  note(`npm run person: no operator token; set ${tokenVariable(surface)}`);
  return exitCodes.unauthorised;
}

async function inputOf(file: string, { standardInput, readFile }: PersonProcess): Promise<string> {
  if (file === "-") return standardInput();
  try {
    return await readFile(file);
  } catch {
    throw new InputError(`cannot read the file ${file}`);
  }
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => line.trim() || []);
}

function listIn(text: string): readonly ErasedLine[] {
  try {
    return readErased(text);
  } catch (error) {
    throw new InputError((error as Error).message);
  }
}

function personIn(text: string): Person {
  const [name, ...others] = linesOf(text);
  if (name === undefined || others.length > 0) throw new InputError("the file must contain one person, on one line");
  if (name.startsWith("did:")) return { surface: "oracle", name: { did: name } };
  const digits = name.replaceAll(/[\s()-]/g, "");
  if (/^\+\d{6,15}$/.test(digits)) return { surface: "phone", name: { phoneNumber: digits } };
  if (/^[A-Za-z][A-Za-z0-9]{3,31}$/.test(name)) return { surface: "phone", name: { customerId: name } };
  throw new InputError("a person is a DID, a Customer ID, or a phone number with + and the country code");
}
