import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { ChatFailure } from "./command-line.ts";
import { loadIdentity } from "./identity.ts";

const seven = () => new Uint8Array(32).fill(7);
const eight = () => new Uint8Array(32).fill(8);
const permissions = (path: string) => statSync(path).mode & 0o777;

test("the first run creates a key that only its owner can read, later runs keep it", async () => {
  const directory = join(temporaryDirectory(), "chat");
  const first = await loadIdentity(directory, seven);
  expect(first.did).toBe("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z");
  expect(readdirSync(directory)).toEqual(["identity"]);
  expect(permissions(join(directory, "identity"))).toBe(0o600);
  expect(permissions(directory)).toBe(0o700);
  expect((await loadIdentity(directory, eight)).did).toBe(first.did);
});

test("of two concurrent first runs, the later one uses the earlier one's key", async () => {
  const directory = join(temporaryDirectory(), "chat");
  const late = await loadIdentity(directory, () => {
    // Another run's key is written while ours is being created.
    mkdirSync(directory);
    writeFileSync(join(directory, "identity"), "07".repeat(32), { mode: 0o600 });
    return eight();
  });
  expect(late.did).toBe("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z");
  expect(readdirSync(directory)).toEqual(["identity"]);
});

test("a key with wide permissions is restricted", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "identity");
  writeFileSync(path, "07".repeat(32));
  chmodSync(path, 0o644);
  await loadIdentity(directory, eight);
  expect(permissions(path)).toBe(0o600);
});

test("a file without a key is reported and not changed", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "identity");
  writeFileSync(path, "my notes");
  await expect(loadIdentity(directory, seven)).rejects.toThrow(ChatFailure);
  expect(readFileSync(path, "utf8")).toBe("my notes");
});
