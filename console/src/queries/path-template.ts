/** Fills a path's template with values, and finds the template and the values of a pasted path. */
import type { Parameter, QueryPath } from "./gateway-catalogue.ts";

/** The values of a parameter: one, or several for a list. */
export type Values = Readonly<Record<string, readonly string[]>>;

const VARIABLE = /\{([^}]+)\}/g;

export function variablesOf(template: string): readonly string[] {
  return [...template.matchAll(VARIABLE)].map(([, name = ""]) => name);
}

export function filledPath(template: string, values: Values, parameters: readonly Parameter[]): string {
  return template.replaceAll(VARIABLE, (_, name: string) => {
    const isMulti = parameters.find((each) => each.name === name)?.isMulti === true;
    // The gateway splits a list in a path at its commas.
    const value = (values[name] ?? []).join(",");
    return isMulti ? value.split("/").map(encodedSegment).join("/") : encodedSegment(value);
  });
}

/** Characters that a segment contains unescaped (RFC 3986), so that a DID stays readable. */
const PLAIN = /%(?:2B|2C|3A|40)/g;

function encodedSegment(value: string): string {
  return encodeURIComponent(value).replaceAll(PLAIN, decodeURIComponent);
}

export interface Recognised {
  readonly query: QueryPath;
  readonly values: Values;
}

/** The listed path that matches a concrete one: segment by segment from the left, a literal wins over a variable. */
export function recognise(paths: readonly QueryPath[], path: string): Recognised | undefined {
  const segments = path.split("/");
  let best: (Recognised & { readonly rank: string }) | undefined;
  for (const query of paths) {
    const matched = match(query, segments);
    // A path of an older release only if no current one matches.
    if (matched === undefined) continue;
    const rank = `${matched.rank}${query.successor === undefined ? 1 : 0}`;
    if (best === undefined || rank > best.rank) best = { query, values: matched.values, rank };
  }
  return best;
}

function match(
  query: QueryPath,
  segments: readonly string[],
): { readonly values: Values; readonly rank: string } | undefined {
  const pattern = query.path.split("/");
  const values: Record<string, readonly string[]> = {};
  let rank = "";
  let at = 0;
  for (const [index, part] of pattern.entries()) {
    const [, before = "", name, after = ""] = /^(.*?)\{([^}]+)\}(.*)$/.exec(part) ?? [];
    const parameter = query.parameters.find((each) => each.name === name);
    if (name === undefined) {
      if (decoded(segments[at]) !== decoded(part)) return undefined;
      rank += "2";
      at += 1;
      continue;
    }
    // A variable of several segments takes everything up to the template's own last segments.
    const taken = parameter?.isMulti === true ? segments.length - at - (pattern.length - index - 1) : 1;
    const text = segments.slice(at, at + taken).join("/");
    if (at + taken > segments.length || taken < 0) return undefined;
    if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
    const value = decoded(text.slice(before.length, text.length - after.length));
    if (value === undefined) return undefined;
    values[name] = parameter?.kind === "list" ? value.split(",") : [value];
    rank += parameter?.isMulti === true ? "0" : "1";
    at += taken;
  }
  return at === segments.length ? { values, rank } : undefined;
}

/** Undefined for a malformed escape. */
function decoded(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
