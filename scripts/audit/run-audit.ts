/** One run of `npm run audit`: reads the log part by part, prints it or checks its chain. */
import { CHAIN_START, checkChain, type ChainFault, type ChainState, type SealedRow } from "../../shared/audit-chain.ts";
import { readErrorBody } from "../../shared/error-body.ts";
import { exitCodes, operatorToken, type KeysProcess } from "../keys/run-keys.ts";
import { unreachable } from "../server-address.ts";
import type { AuditOptions } from "./arguments.ts";

export interface AuditProcess extends Omit<KeysProcess, "freshDid"> {
  readonly readFile: (path: string) => string;
}

type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export async function runAudit(options: AuditOptions, process: AuditProcess): Promise<ExitCode> {
  const token = await operatorToken(options, process);
  if (token === undefined) {
    process.note("npm run audit: no operator token; set ADMIN_TOKEN, or give it with --token-stdin");
    return exitCodes.unauthorised;
  }
  const earlier = options.earlier === undefined ? [] : rowsOf(process.readFile(options.earlier));
  let state: ChainState = { seq: 0, digest: CHAIN_START };
  let lastWritten = 0;
  for (let after = 0; ;) {
    const part = await readPart(options.url, after, token, process);
    if (typeof part === "number") return part;
    const rows = rowsOf(part.text);
    ({ lastWritten } = part);
    if (options.kind === "export") for (const row of rows) process.print(JSON.stringify(row));
    else {
      const checked = await checkChain(state, rows);
      const fault = "kind" in checked ? checked : differenceFrom(earlier, rows);
      if (fault !== undefined) return reportFault(fault, process);
      if ("digest" in checked) state = checked;
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  if (options.kind === "export") return exitCodes.done;
  // The newest rows, which no later row follows.
  const lastKnown = Math.max(lastWritten, earlier.at(-1)?.seq ?? 0);
  if (lastKnown > state.seq) return reportFault({ seq: state.seq + 1, kind: "missing" }, process);
  process.print(`${state.seq} rows, no fault; digest ${state.digest}`);
  return exitCodes.done;
}

const faultTexts = {
  missing: "is missing",
  changed: "differs from its digest, or from the earlier export",
  unsealed: "has no digest, although later rows have one",
} satisfies Record<ChainFault["kind"], string>;

function reportFault({ seq, kind }: ChainFault, { note }: AuditProcess): ExitCode {
  note(`npm run audit: row ${seq} ${faultTexts[kind]}`);
  return exitCodes.refused;
}

/** The first of the rows that an earlier export has with other content. */
function differenceFrom(earlier: readonly SealedRow[], rows: readonly SealedRow[]): ChainFault | undefined {
  const known = new Map(earlier.map((row) => [row.seq, row]));
  const changed = rows.find((row) => {
    const other = known.get(row.seq);
    if (other === undefined) return false;
    // A row that was not sealed yet has a digest now.
    const expected = other.digest === null ? { ...other, digest: row.digest } : other;
    return JSON.stringify(expected) !== JSON.stringify(row);
  });
  return changed === undefined ? undefined : { seq: changed.seq, kind: "changed" };
}

function rowsOf(text: string): readonly SealedRow[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SealedRow);
}

interface Part {
  readonly text: string;
  /** The number of the last row that the server has ever written. */
  readonly lastWritten: number;
}

async function readPart(url: string, after: number, token: string, process: AuditProcess): Promise<Part | ExitCode> {
  let response: Response;
  let text: string;
  try {
    response = await process.fetch(`${url}/staff/audit/export?after=${after}`, {
      headers: { Authorization: `Bearer ${token}` },
      // A redirect would send the token elsewhere.
      redirect: "error",
    });
    text = await response.text();
  } catch (error) {
    process.note(`npm run audit: ${unreachable(url, error)}`);
    return exitCodes.unreachable;
  }
  if (response.ok) return { text, lastWritten: Number(response.headers.get("Audit-Last") ?? 0) };
  const { sentence = "the server refused" } = readErrorBody(text, new Headers());
  process.note(`npm run audit: ${sentence} (${response.status})`);
  return response.status === 401 ? exitCodes.unauthorised : exitCodes.refused;
}
