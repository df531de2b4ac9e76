/** What a release changes, as texts: the changelog, the manifests, and the file names of packages in documents. */

/** Manifests that have or require the version of the repository, by their paths. */
export const MANIFESTS = [
  "package.json",
  "sdk/package.json",
  "console/package.json",
  "examples/react-chat/package.json",
];

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const HEADING = /^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/m;
const UNRELEASED = "## Unreleased\n";

/** The version and the date of the newest released section. */
export function newestRelease(changelog: string): { readonly version: string; readonly date: string } {
  const [, version, date] = HEADING.exec(changelog) ?? [];
  if (version === undefined || date === undefined) throw new Error("CHANGELOG.md has no dated section");
  return { version, date };
}

/** Moves the entries of "Unreleased" into a section of the version. Throws one sentence if that is not possible. */
export function releasedChangelog(changelog: string, version: string, date: string): string {
  if (!VERSION.test(version)) throw new Error(`a version has three numbers, such as 1.2.0, not "${version}"`);
  if (!DATE.test(date)) throw new Error(`a date reads 2026-11-25, not "${date}"`);
  const { version: newest } = newestRelease(changelog);
  if (!isAfter(version, newest)) throw new Error(`${version} must be higher than ${newest}, the newest release`);
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) throw new Error(`CHANGELOG.md has no section "Unreleased"`);
  const entriesStart = start + UNRELEASED.length;
  const end = changelog.indexOf("\n## ", entriesStart);
  const entries = changelog.slice(entriesStart, end).trim();
  if (entries === "") throw new Error(`"Unreleased" of CHANGELOG.md has no entries`);
  return `${changelog.slice(0, entriesStart)}\n## ${version} (${date})\n\n${entries}\n${changelog.slice(end)}`;
}

/** A manifest with the new version, and its requirement of the SDK. `repository` is added to packages that can be published. */
export function releasedManifest(text: string, version: string, repository: string | undefined): string {
  const manifest = JSON.parse(text) as Record<string, unknown> & { dependencies?: Record<string, string> };
  if (manifest["version"] !== "0.0.0") {
    manifest["version"] = version;
    if (repository !== undefined) manifest["repository"] = { type: "git", url: repository };
  }
  if (manifest.dependencies?.["@twinedge/sdk"] !== undefined) manifest.dependencies["@twinedge/sdk"] = version;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** A document that names the files of `npm pack`, with the new version. */
export function releasedDocument(text: string, version: string): string {
  return text.replaceAll(/\b(twinedge(?:-sdk)?)-\d+\.\d+\.\d+\.tgz/g, `$1-${version}.tgz`);
}

/** Compares the numbers of the two versions. */
function isAfter(version: string, other: string): boolean {
  return version.localeCompare(other, "en", { numeric: true }) > 0;
}
