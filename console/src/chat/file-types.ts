/** The type of a chosen file, before it is uploaded: browsers do not know the types of some text files. */

const byEnding: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  txt: "text/plain",
  log: "text/plain",
  json: "application/json",
  ndjson: "application/x-ndjson",
  geojson: "application/geo+json",
  yaml: "application/yaml",
  yml: "application/yaml",
  toml: "application/toml",
  xml: "application/xml",
};

export function typeOf({ name, type }: Pick<File, "name" | "type">): string {
  if (type !== "") return type;
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(byEnding, ending) && byEnding[ending]) || "application/octet-stream";
}

/** `accept` as the oracle lists it: types, and `text/*`. */
export function isAccepted(type: string, accept: readonly string[]): boolean {
  const essence = (type.split(";")[0] ?? "").trim().toLowerCase();
  return accept.some((each) => (each.endsWith("/*") ? essence.startsWith(each.slice(0, -1)) : essence === each));
}
