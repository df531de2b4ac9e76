/**
 * `npm run release`: turns the entries under "Unreleased" into a dated version. It changes files only; the commit, the tag and the
 * publication stay with the maintainer.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { MANIFESTS, releasedChangelog, releasedDocument, releasedManifest } from "./release/new-release.ts";
import { projectRoot, runCommand } from "./run-command.ts";

const usage = `Usage: npm run release -- VERSION [--date DATE]

Moves the entries under "Unreleased" of CHANGELOG.md into a section of VERSION, and writes VERSION into the manifests, the lock
file and the documents that name a package file. The manifests of published packages get the address of the remote "origin".

  --date DATE   the day of the release, such as 2026-11-25; by default today
  --help        this text

Exit codes: 0 done, 1 not possible, 2 wrong usage.
`;

const command = defineCommand({
  name: "npm run release",
  usage,
  options: { date: { type: "string" } },
  takesWords: true,
  read({ words: [version, ...others], values }) {
    if (version === undefined || others.length > 0) throw new Error("it takes one version, such as 1.2.0");
    return { version, date: values.date ?? new Date().toISOString().slice(0, 10) };
  },
});

await runAs(command, async ({ version, date }) => {
  const changes = new Map<string, string>();
  const change = (path: string, changed: (text: string) => string): void =>
    void changes.set(path, changed(readFileSync(join(projectRoot, path), "utf8")));
  const remote = await runCommand("git", ["remote", "get-url", "origin"]);
  const repository = remote.code === 0 ? remote.output.trim() : undefined;
  try {
    change("CHANGELOG.md", (text) => releasedChangelog(text, version, date));
  } catch (error) {
    process.stderr.write(`npm run release: ${(error as Error).message}\n`);
    return 1;
  }
  for (const path of MANIFESTS) change(path, (text) => releasedManifest(text, version, repository));
  const documents = globSync(["*.md", "docs/**/*.md", "sdk/*.md", "examples/*/*.md"], {
    cwd: projectRoot,
    exclude: ["CHANGELOG.md"],
  });
  for (const path of documents) change(path, (text) => releasedDocument(text, version));
  // Only after every change is known to be possible.
  for (const [path, text] of changes) writeFileSync(join(projectRoot, path), text);
  const { code, output } = await runCommand("npm", [
    "install",
    "--package-lock-only",
    "--ignore-scripts",
    "--no-audit",
  ]);
  if (code !== 0) {
    process.stderr.write(output);
    return 1;
  }
  process.stdout.write(
    `Version ${version} is written. Next:\n  git commit -am "Release ${version}" && git tag v${version}\n`,
  );
  return 0;
});
