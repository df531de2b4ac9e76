/** The command line of `npm run db`, parsed once into one task. */
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { postgresUrl } from "../postgres/connection-url.ts";
import { projectRoot } from "../run-command.ts";
import { defaultStateFolder } from "../wrangler.ts";

/** A database in a command line. */
export type Place =
  | { readonly kind: "local-d1" }
  | { readonly kind: "remote-d1"; readonly environment: string }
  | { readonly kind: "local-postgres" }
  | { readonly kind: "postgres"; readonly url: string };

export type DbTask = { readonly stateFolder: string } & (
  | { readonly kind: "migrate"; readonly place: Place }
  | { readonly kind: "copy"; readonly from: Place; readonly to: Place; readonly catchUp: boolean }
  | { readonly kind: "verify"; readonly from: Place; readonly to: Place }
);

const usage = `Usage: npm run db -- migrate DATABASE
       npm run db -- copy FROM TO [--catch-up]
       npm run db -- verify FROM TO

migrate applies the migrations that a database does not have yet. copy makes TO equal to FROM, which stays in use
while it is read; run it again after an interruption. verify compares every row and names those that differ.

A database is one of:
  d1               the D1 database of npm start
  d1:ENVIRONMENT   the D1 database of an environment in wrangler.toml, such as d1:production; copy and verify need
                   CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN
  postgres         the PostgreSQL server of npm start -- --postgres, which is started for the command if needed
  postgresql://USER:PASSWORD@HOST:PORT/DATABASE
  env:NAME         the URL in this environment variable, which keeps the password out of the list of processes

  --catch-up       copy into a database that has rows: it replaces rows that differ, and deletes rows that FROM does
                   not have
  --state FOLDER   where npm start stores its data; default ${defaultStateFolder}
  --help           this text

Exit codes: 0 done, or equal; 1 something failed, or differs; 2 wrong usage.
`;

export const dbCommand = defineCommand({
  name: "npm run db",
  usage,
  options: {
    "catch-up": { type: "boolean", default: false },
    state: { type: "string", default: defaultStateFolder },
  },
  takesWords: true,
  read({ values, words: [task, ...databases], environment }): DbTask {
    const stateFolder = resolve(projectRoot, values.state);
    const places = databases.map((text) => placeIn(text, environment));
    const [one, other] = places;
    if (values["catch-up"] && task !== "copy") throw new Error("only copy takes --catch-up");
    if (task === "migrate") {
      if (one === undefined || places.length > 1) throw new Error("migrate takes one database");
      return { kind: task, stateFolder, place: one };
    }
    if (task !== "copy" && task !== "verify")
      throw new Error(`name a task: migrate, copy or verify${task === undefined ? "" : `, not "${task}"`}`);
    if (one === undefined || other === undefined || places.length > 2)
      throw new Error(`${task} takes two databases: FROM TO`);
    if (JSON.stringify(one) === JSON.stringify(other)) throw new Error(`${task} takes two different databases`);
    if (task === "verify") return { kind: task, stateFolder, from: one, to: other };
    return { kind: task, stateFolder, from: one, to: other, catchUp: values["catch-up"] };
  },
});

function placeIn(text: string, environment: Readonly<Record<string, string | undefined>>): Place {
  if (text === "d1") return { kind: "local-d1" };
  if (text === "postgres") return { kind: "local-postgres" };
  const [scheme = "", name = ""] = text.split(":", 2);
  if (scheme === "d1" && name !== "") return { kind: "remote-d1", environment: name };
  if (scheme === "env" && name !== "") {
    const url = environment[name] ?? "";
    if (url === "") throw new Error(`the environment variable ${name} is not set`);
    return { kind: "postgres", url: postgresUrl(name, url) };
  }
  if (scheme === "postgres" || scheme === "postgresql")
    return { kind: "postgres", url: postgresUrl("a database", text) };
  // A URL of another kind can contain a password.
  const shown = text.includes("@") ? "" : `, not "${text}"`;
  throw new Error(`name a database as d1, d1:ENVIRONMENT, postgres, a URL or env:NAME${shown}`);
}
