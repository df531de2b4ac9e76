/** The reference of the SDK's exports as Markdown, from the docstrings of its sources; served at `/docs/sdk/reference`. */
import { sdkEntries } from "./entries.ts";
import { publicNames, type PublicMember, type PublicName } from "./public-api.ts";

/** A name that several entries export is described below the first of them. */
export function apiReference(): string {
  const described = new Map<string, PublicName>();
  const sections = sdkEntries().map(({ name: entry, source }) => {
    const names = publicNames(source);
    const own = names.filter(({ name, file }) => described.get(name)?.file !== file);
    const others = names.filter((name) => !own.includes(name));
    for (const name of own) described.set(name.name, name);
    return { entry, own, others };
  });
  const known = new Set(described.keys());
  return [
    "# SDK API reference",
    "Every export of `@twinedge/sdk` and its other entries. [The guide](README.md) shows how they work together.",
    ...sections.flatMap(({ entry, own, others }) => [
      `## ${entry}`,
      own.map(({ name }) => link(name)).join(" · "),
      ...(others.length === 0 ? [] : [`Also, as above: ${others.map(({ name }) => link(name)).join(" · ")}`]),
      ...own.map((name) => section(name, known)),
    ]),
  ].join("\n\n");
}

function link(name: string): string {
  return `[\`${name}\`](#${name.toLowerCase()})`;
}

function section({ name, kind, doc, signature, members }: PublicName, known: ReadonlySet<string>): string {
  const others = new Set([...known].filter((other) => other !== name));
  const isDescribedByMembers = kind === "interface" || (kind === "type" && members.length > 0);
  const parts = [
    `### ${name}`,
    doc?.text,
    isDescribedByMembers && !/ extends /.test(signature)
      ? undefined
      : `<pre><code>${linked(signature, others).replaceAll(/\n\s*\n/g, "\n")}</code></pre>`,
    doc === undefined || doc.params.length === 0
      ? undefined
      : table(
          "Parameter",
          doc.params.map((param) => [`\`${param.name}\``, inCell(param.text)]),
        ),
    doc?.returns === undefined ? undefined : `**Returns** ${doc.returns}`,
    doc?.throws === undefined ? undefined : `**Throws** ${doc.throws}`,
    members.length === 0 ? undefined : memberTable(members, others),
    ...(doc?.examples ?? []),
  ];
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

function memberTable(members: readonly PublicMember[], known: ReadonlySet<string>): string {
  const rows = members.map(({ name, type, doc }) => [
    name === "" ? "" : `\`${name}\``,
    `<code>${linked(type.replaceAll(/\/\*\*[\s\S]*?\*\/|\s+/g, " ").trim(), known).replaceAll("|", "\\|")}</code>`,
    inCell([doc?.text, doc?.throws === undefined ? undefined : `Throws ${doc.throws}`].filter(Boolean).join(" ")),
  ]);
  return table("Member | Type", rows);
}

function table(heading: string, rows: readonly (readonly string[])[]): string {
  const columns = `${heading} | Description`;
  const line = columns.replaceAll(/[^|]+/g, " --- ");
  return [`| ${columns} |`, `|${line}|`, ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}

function inCell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").replaceAll(/(?<!\\)\|/g, "\\|");
}

/** Code as HTML, in which each name that the page describes is a link. */
function linked(code: string, known: ReadonlySet<string>): string {
  return code
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/\b[A-Za-z]\w*\b/g, (word) => (known.has(word) ? `<a href="#${word.toLowerCase()}">${word}</a>` : word))
    .replaceAll(/[*_`[\]\\]/g, (sign) => `&#${sign.codePointAt(0)};`);
}
