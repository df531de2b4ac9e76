/** The Worker's variables for several mock servers at once: lists are joined, anything else may be set by one server only. */
type Variables = Readonly<Record<string, string>>;

export function joinVariables(all: readonly Variables[]): Variables {
  const joined: Record<string, string> = {};
  for (const [name, value] of all.flatMap((each) => Object.entries(each))) {
    const known = joined[name];
    joined[name] = known === undefined || known === value ? value : joinValues(name, known, value);
  }
  return joined;
}

function joinValues(name: string, one: string, other: string): string {
  if (one.startsWith("[") && other.startsWith("["))
    return JSON.stringify([...(JSON.parse(one) as unknown[]), ...(JSON.parse(other) as unknown[])]);
  if (name.endsWith("_HOSTS")) return `${one},${other}`;
  throw new Error(`two peers set ${name}, each to another value`);
}

/** As lines of `.dev.vars`, which dotenv parses: in quotes of a kind that the value does not contain, it is taken literally. */
export function devVarsLines(variables: Variables): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${/^[\w.:/@+-]*$/.test(value) ? value : inQuotes(name, value)}\n`)
    .join("");
}

function inQuotes(name: string, value: string): string {
  // In double quotes, a backslash would be special.
  const quote = ["'", "`", ...(value.includes("\\") ? [] : ['"'])].find((each) => !value.includes(each));
  if (quote === undefined || value.includes("\n")) throw new Error(`${name} cannot be written to .dev.vars`);
  return quote + value + quote;
}
