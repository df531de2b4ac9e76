/**
 * The output of `npm start` once the server answers: the console first, the address of each surface, the oracle's DID, suggestions.
 * A new surface adds its row to `invitations`.
 */
import { surfaces } from "../../workers/surfaces.ts";

type Name = (typeof surfaces)[number]["name"];

const invitations: Readonly<Record<Name, (base: string, developmentKey: string) => readonly string[]>> = {
  oracle: (base) => {
    const url = base === "http://localhost:3000" ? "" : ` --url ${base}`;
    const chat = `npm run chat --${url}`;
    return [
      `${chat} "hello"`,
      `${chat} "From now on call yourself Juno and answer briefly"`,
      `${chat} --sessions`,
      `curl ${base}/models`,
      `npm run token${url === "" ? "" : ` --${url}`}`,
    ];
  },
  registry: (base, developmentKey) => [
    `curl ${base}/v1/domains -H "Authorization: Bearer ${developmentKey}"`,
    `npm run keys -- create --name "my app"${base === "http://localhost:3000" ? "" : ` --url ${base}`}`,
  ],
  ussd: (base) => [
    base === "http://localhost:3000" ? "npm run ussd" : `npm run ussd -- --url ${base}`,
    `curl ${base}/api/ussd -d '{"sessionId":"s1","serviceCode":"*2233#","phoneNumber":"+260971230001","text":""}'`,
    `curl ${base}/api/ussd/sessions`,
  ],
  "query-gateway": (base) => [`curl ${base}/ixo/token/params`, `curl ${base}/ixo/entity`],
};

export interface Announcement {
  readonly base: string;
  readonly stateFolder: string;
  /** The PostgreSQL database, in words; undefined with D1. */
  readonly database?: string | undefined;
  readonly healthStatus: number;
  /** It has no address if CONSOLE_ENABLED turns it off. */
  readonly hasConsole: boolean;
  /** The faults in `GET /health`, one sentence each. */
  readonly faults: readonly string[];
  /** Warnings in `GET /health` about changes before public use. */
  readonly warnings: readonly string[];
  readonly oracleDid: string | undefined;
  readonly secretsAdded: readonly string[];
  /** The API key in `.dev.vars`; it works only on this machine. */
  readonly developmentKey: string | undefined;
}

export function announcement(content: Announcement): string {
  const { base, stateFolder, database, healthStatus, hasConsole, faults, warnings } = content;
  const { oracleDid, secretsAdded, developmentKey } = content;
  const lines = hasConsole ? ["", row("Console", `${base}/console`)] : [];
  lines.push("", `twinedge answers at ${base} (development; storage in ${stateFolder})`, "");
  for (const { title, paths } of surfaces) lines.push(row(title, `${base}  ${summary(paths)}`));
  lines.push(row("Health", `${base}/health`), row("Documentation", `${base}/docs`));
  lines.push(row("GraphiQL", `${base}/graphql (in a browser)`));
  if (database !== undefined) lines.push(row("Database", database));
  if (oracleDid !== undefined) lines.push(row("Oracle's DID", oracleDid));
  if (developmentKey !== undefined) {
    lines.push(
      row("Development API key", developmentKey),
      row("", "(every scope of the registry, on this machine only)"),
    );
  }
  if (secretsAdded.length > 0) lines.push(row("New in .dev.vars", secretsAdded.join(", ")));
  if (healthStatus !== 200) {
    lines.push("", `Not healthy (${healthStatus}):`);
    lines.push(...(faults.length === 0 ? [`  see ${base}/health`] : faults.map((fault) => `  ${fault}`)));
    lines.push("Variables are read at the start: change .dev.vars or --var, then start again (docs/configuration.md).");
  }
  if (warnings.length > 0) lines.push("", ...warnings.map((warning) => `Warning: ${warning}.`));
  lines.push("", "Try:", `  curl ${base}/health`);
  for (const { name } of surfaces)
    lines.push(...invitations[name](base, developmentKey ?? "KEY").map((command) => `  ${command}`));
  lines.push("", "Ctrl-C ends it. The Worker's log follows.", "");
  return lines.join("\n");
}

/** The column where the values begin: wider than the longest title. */
const VALUE_COLUMN = 26;
/** Maximum paths shown per surface; the documentation has them all. */
const SHOWN_PATHS = 5;

function row(title: string, value: string): string {
  return `  ${title.padEnd(VALUE_COLUMN)}${value}`;
}

/** The query gateway owns every other path, by the routes of its descriptors. */
const ALL_OTHERS = "/ixo /cosmos … and every other path";

function summary(paths: readonly string[]): string {
  if (paths.length === 0) return ALL_OTHERS;
  const names = paths.map((path) => path.replace(/\/\*$/, ""));
  return names.slice(0, SHOWN_PATHS).join(" ") + (names.length > SHOWN_PATHS ? " …" : "");
}
