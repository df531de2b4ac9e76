/** Faults in the local server's `.dev.vars`: missing, empty or malformed secrets. */
import { developmentSecrets } from "../start/dev-vars.ts";
import type { Finding } from "./finding.ts";

const KEYS_OF_64_DIGITS = ["ORACLE_SIGNING_SEED", "PIN_ENCRYPTION_KEY"];
/** As the Worker requires of operators' secrets. */
const SHORTEST = 16;

export function localFindings(variables: ReadonlyMap<string, string>): readonly Finding[] {
  return developmentSecrets.flatMap(({ name }): readonly Finding[] => {
    const value = variables.get(name);
    if (value === undefined)
      return [{ fault: `.dev.vars has no ${name}`, fix: "start the server again: `npm start` adds missing secrets" }];
    if (value === "")
      return [{ fault: `${name} in .dev.vars is empty`, fix: "remove its line; `npm start` adds a new value" }];
    if (KEYS_OF_64_DIGITS.includes(name))
      return /^[0-9a-f]{64}$/i.test(value)
        ? []
        : [{ fault: `${name} in .dev.vars is not 64 hex digits`, fix: "put a value of `openssl rand -hex 32` there" }];
    if (value.length >= SHORTEST) return [];
    const fix = "put a value of `openssl rand -hex 32` there";
    return [{ fault: `${name} in .dev.vars has fewer than ${SHORTEST} characters`, fix }];
  });
}
