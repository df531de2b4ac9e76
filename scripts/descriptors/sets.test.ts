import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { digestsOf, fixtureSet, gatewaySet, isCurrent, type DescriptorSet } from "./sets.ts";

test.each([gatewaySet, fixtureSet])("$path is compiled from the current .proto files", (set) => {
  expect(isCurrent(set)).toBe(true);
});

/** A copy of the project with only the files of one set. */
function copyOf({ path, digestPath }: DescriptorSet): string {
  const root = mkdtempSync(join(tmpdir(), "twinedge-sets-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of [path, digestPath, "test/support/query-gateway/gwtest.proto"]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(projectRoot, file), join(root, file));
  }
  return root;
}

const set: DescriptorSet = { ...fixtureSet, sources: ["test/support/**/*.proto"] };

test("a set is not current after a change of a source, a new source or a change of the set", () => {
  const root = copyOf(set);
  const digests = digestsOf(set, new Uint8Array([1]), root);
  const write = (path: string, content: string | Uint8Array): void => writeFileSync(join(root, path), content);
  write(set.path, new Uint8Array([1]));
  write(set.digestPath, digests);
  expect(isCurrent(set, root)).toBe(true);
  write(set.path, new Uint8Array([2]));
  expect(isCurrent(set, root)).toBe(false);
  write(set.path, new Uint8Array([1]));
  write("test/support/query-gateway/more.proto", "");
  expect(isCurrent(set, root)).toBe(false);
  rmSync(join(root, "test/support/query-gateway/more.proto"));
  expect(isCurrent(set, root)).toBe(true);
  write("test/support/query-gateway/gwtest.proto", "syntax = 'proto3';");
  expect(isCurrent(set, root)).toBe(false);
});
