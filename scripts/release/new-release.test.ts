/** A release: the changelog's sections, and one version in every manifest and document of the repository. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { MANIFESTS, newestRelease, releasedChangelog, releasedDocument, releasedManifest } from "./new-release.ts";

const project = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(project, path), "utf8");

describe("the changelog", () => {
  const before = "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 0.9.0 (2026-01-02)\n\n- An old one.\n";

  test("the entries move into a dated section, and none are left", () => {
    expect(releasedChangelog(before, "0.10.0", "2026-02-03")).toBe(
      "# Changelog\n\n## Unreleased\n\n## 0.10.0 (2026-02-03)\n\n- A change.\n\n## 0.9.0 (2026-01-02)\n\n- An old one.\n",
    );
  });

  test.each([
    ["0.9.0", "2026-02-03", "0.9.0 must be higher than 0.9.0, the newest release"],
    ["0.8.7", "2026-02-03", "0.8.7 must be higher than 0.9.0, the newest release"],
    ["1.0", "2026-02-03", 'a version has three numbers, such as 1.2.0, not "1.0"'],
    ["1.0.0", "today", 'a date reads 2026-11-25, not "today"'],
  ])("%s of %s is refused with a sentence", (version, date, sentence) => {
    expect(() => releasedChangelog(before, version, date)).toThrow(sentence);
  });

  test("without entries there is no release", () => {
    const empty = before.replace("- A change.\n\n", "");
    expect(() => releasedChangelog(empty, "1.0.0", "2026-02-03")).toThrow("has no entries");
  });
});

test("a package gets the version and its repository, a private workspace only the SDK that it requires", () => {
  const manifest = JSON.stringify({ name: "a", version: "0.1.0" });
  expect(JSON.parse(releasedManifest(manifest, "0.2.0", "https://example.com/a.git"))).toEqual({
    name: "a",
    version: "0.2.0",
    repository: { type: "git", url: "https://example.com/a.git" },
  });
  const workspace = { name: "b", version: "0.0.0", dependencies: { "@twinedge/sdk": "0.1.0", zod: "4.0.0" } };
  expect(JSON.parse(releasedManifest(JSON.stringify(workspace), "0.2.0", "https://example.com/a.git"))).toEqual({
    ...workspace,
    dependencies: { "@twinedge/sdk": "0.2.0", zod: "4.0.0" },
  });
  expect(releasedDocument("`twinedge-0.1.0.tgz`, ../twinedge-sdk-0.1.0.tgz", "0.2.0")).toBe(
    "`twinedge-0.2.0.tgz`, ../twinedge-sdk-0.2.0.tgz",
  );
});

test("manifests, lock file and documents have the version of the newest release", () => {
  const { version } = newestRelease(read("CHANGELOG.md"));
  const documents = globSync(["*.md", "docs/**/*.md", "sdk/*.md", "examples/*/*.md"], { cwd: project });
  const wrong = [
    ...MANIFESTS.filter((path) => releasedManifest(read(path), version, undefined) !== read(path)),
    ...documents.filter((path) => path !== "CHANGELOG.md" && releasedDocument(read(path), version) !== read(path)),
  ];
  expect(wrong).toEqual([]);
  const lock = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version?: string }> };
  expect([lock.packages[""]?.version, lock.packages["sdk"]?.version]).toEqual([version, version]);
});
