/**
 * The Markdown pages that the Worker serves below `/docs`, in the order of the navigation: every page of `docs/`, and those outside of
 * it that a page of `docs/` links to. A new page of `docs/` is served without an entry here, at the end of its section.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../run-command.ts";
import { apiReference } from "../sdk/api-reference.ts";

export interface DocPage {
  /** Below `/docs/`, without an ending: `reference/oracle`. */
  readonly name: string;
  readonly title: string;
  readonly section: SectionTitle;
  /** Where its Markdown is, or would be: the base of its links. */
  readonly file: string;
  /** The Markdown of a page that has no file. */
  readonly write?: () => string;
}

type SectionTitle = (typeof sectionTitles)[number];

export const sectionTitles = [
  "Start",
  "Build",
  "Guides",
  "Operate",
  "Reference",
  "Oracle by topic",
  "Bundled plugins",
  "Change the code",
  "Decisions",
] as const;

/** Name and title, and the file if it is not `docs/<name>.md`. */
type Entry = readonly [name: string, title: string, file?: string];

const placed: Readonly<Partial<Record<SectionTitle, readonly Entry[]>>> = {
  Start: [
    ["README", "Documentation"],
    ["overview", "Overview", "README.md"],
    ["tutorial", "Tutorial"],
    ["console", "Console"],
    ["glossary", "Glossary"],
  ],
  Build: [
    ["client-guide", "Client guide"],
    ["sdk", "React SDK", "sdk/README.md"],
    ["sdk/migration", "SDK migration", "sdk/MIGRATION.md"],
    ["plugins", "Plugins"],
    ["examples/weather-oracle", "Example: an oracle", "examples/weather-oracle/README.md"],
    ["examples/react-chat", "Example: a React chat", "examples/react-chat/README.md"],
  ],
  Operate: [
    ["deploy", "Deploy"],
    ["costs", "Costs"],
    ["configuration", "Configuration"],
    ["query-gateway-configuration", "Query gateway configuration"],
    ["runbook", "Runbook"],
    ["troubleshooting", "Troubleshooting"],
    ["log-events", "Log events"],
    ["import-export", "Import and export"],
    ["limits", "Limits and scaling"],
    ["scaling", "Scaling"],
    ["upgrading", "Upgrading"],
    ["data-protection", "Data protection"],
    ["security", "Security"],
    ["security-policy", "Report a vulnerability", "SECURITY.md"],
  ],
  Guides: [
    ["guides/telecom-gateway", "Connect a telecom gateway"],
    ["guides/index-the-registry", "Index the registry"],
    ["guides/cookbook", "Cookbook"],
  ],
  Reference: [
    ["error-codes", "Error codes"],
    ["reference/README", "All rules"],
    ["reference/oracle", "Oracle"],
    ["reference/oracle-protocol", "Oracle protocol"],
    ["reference/registry", "Registry"],
    ["reference/phone", "Phone gateway"],
    ["reference/query-gateway", "Query gateway"],
    ["reference/sdk", "React SDK contract"],
    ["reference/platform", "Every surface"],
    ["reference/roles", "Roles of staff"],
    ["reference/console", "Console routes"],
  ],
  "Bundled plugins": [["plugins/README", "All plugins"]],
  "Change the code": [
    ["contributing", "Contributing", "CONTRIBUTING.md"],
    ["architecture", "Architecture"],
    ["data-model", "Data model"],
    ["sequences", "Sequences"],
    ["storage", "Storage"],
    ["phone-menus", "Phone menus"],
    ["menu-files", "Menu files"],
    ["performance", "Performance"],
    ["performance/notes", "Laboratory notes", "bench/notes.md"],
    ["dependencies", "Dependencies"],
    ["changelog", "Changelog", "CHANGELOG.md"],
    ["packages/protocol", "Oracle protocol package", "protocol/README.md"],
    ["packages/socketio", "Socket.IO server", "socketio/README.md"],
    ["packages/console", "Console source", "console/README.md"],
    ["packages/proto", "Interface definitions", "proto/README.md"],
    ["spec/console", "Console criteria", "test/spec/console.md"],
    ["spec/sdk", "SDK criteria", "test/spec/sdk.md"],
    ["spec/oracle", "Oracle criteria", "test/spec/oracle.md"],
  ],
};

/** The section of a page without an entry, by its folder in `docs/`; the first match. */
const sectionOfFolder: readonly (readonly [folder: string, section: SectionTitle])[] = [
  ["reference/oracle/", "Oracle by topic"],
  ["reference/", "Reference"],
  ["plugins/guide/", "Build"],
  ["plugins/", "Bundled plugins"],
  ["decisions/", "Decisions"],
  ["", "Guides"],
];

const sdkReference: DocPage = {
  name: "sdk/reference",
  title: "SDK API",
  section: "Build",
  file: "sdk/reference.md",
  write: apiReference,
};

/** In the order of the navigation. */
export const docPages: readonly DocPage[] = sectionTitles.flatMap((section) => [
  ...(placed[section] ?? []).map(([name, title, file = `docs/${name}.md`]) => ({ name, title, section, file })),
  ...(section === sdkReference.section ? [sdkReference] : []),
  ...unplaced(section),
]);

function unplaced(section: SectionTitle): readonly DocPage[] {
  const known = new Set(
    Object.values(placed)
      .flat()
      .map(([name]) => name),
  );
  return globSync("docs/**/*.md", { cwd: projectRoot })
    .map((file) => ({ name: file.slice("docs/".length, -".md".length), file }))
    .filter(({ name }) => !known.has(name) && sectionOf(name) === section)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, file }) => ({ name, title: headingOf(file), section, file }));
}

function sectionOf(name: string): SectionTitle | undefined {
  return sectionOfFolder.find(([folder]) => name.startsWith(folder))?.[1];
}

function headingOf(file: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(projectRoot, file), "utf8"))?.[1];
  if (heading === undefined) throw new Error(`${file} has no heading of the first level`);
  return heading.replaceAll("`", "");
}

export function markdownOf({ file, write }: DocPage): string {
  return write?.() ?? readFileSync(join(projectRoot, file), "utf8");
}
