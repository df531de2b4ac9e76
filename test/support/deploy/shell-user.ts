/**
 * A person at a shell in a copy of the project: runs the commands of a page as it prints them, and types a value when `wrangler
 * secret put` asks for one. `npm ci` would download packages, so it only checks that the lock file fits.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { wranglerEnvironment } from "../../../scripts/wrangler.ts";
import { runProgram, type ProgramOutcome } from "../server/run-program.ts";

const HANDS = `
npx() {
  if [ "\${2:-} \${3:-}" = "secret put" ]; then openssl rand -hex 32 | command npx "$@"; else command npx "$@"; fi
}
npm() {
  if [ "$1" = ci ]; then command npm ci --dry-run --offline --ignore-scripts; else command npm "$@"; fi
}
`;

export interface ShellUser {
  readonly home: string;
  readonly run: (script: string, variables?: Readonly<Record<string, string>>) => Promise<ProgramOutcome>;
}

export function shellUser(cwd: string, home: string, variables: Readonly<Record<string, string>>): ShellUser {
  mkdirSync(home, { recursive: true });
  const env = {
    ...wranglerEnvironment(),
    CI: "1",
    HOME: home,
    GIT_AUTHOR_NAME: "operator",
    GIT_AUTHOR_EMAIL: "operator@example.org",
    GIT_COMMITTER_NAME: "operator",
    GIT_COMMITTER_EMAIL: "operator@example.org",
    WRANGLER_LOG_PATH: join(home, "logs"),
    ...variables,
  };
  return {
    home,
    run: (script, more = {}) =>
      runProgram("bash", ["-euo", "pipefail", "-c", HANDS + script], { cwd, env: { ...env, ...more } }),
  };
}
