import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { ChatFailure } from "./command-line.ts";
import { loadIdentity } from "./identity.ts";

const seven = () => new Uint8Array(32).fill(7);
const eight = () => new Uint8Array(32).fill(8);
const permissions = (path: string) => statSync(path).mode & 0o777;

test("the first run makes a key that only its owner may read, the next ones keep it", async () => {
  const directory = join(temporaryDirectory(), "chat");
  const first = await loadIdentity(directory, seven);
  expect(first.did).toBe("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z");
  expect(readdirSync(directory)).toEqual(["identity"]);
  expect(permissions(join(directory, "identity"))).toBe(0o600);
  expect(permissions(directory)).toBe(0o700);
  expect((await loadIdentity(directory, eight)).did).toBe(first.did);
});

test("of two first runs at once the later one takes over the key of the earlier", async () => {
  const directory = join(temporaryDirectory(), "chat");
  const late = await loadIdentity(directory, () => {
    // Another run's key lands while ours is still being drawn.
    mkdirSync(directory);
    writeFileSync(join(directory, "identity"), "07".repeat(32), { mode: 0o600 });
    return eight();
  });
  expect(late.did).toBe("did:key:z6MkvDqGT54cXesYGvABpF1UapVNwjCqRcafi4Px6Thv5T3Z");
  expect(readdirSync(directory)).toEqual(["identity"]);
});

test("a key with wide permissions is narrowed", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "identity");
  writeFileSync(path, "07".repeat(32));
  chmodSync(path, 0o644);
  await loadIdentity(directory, eight);
  expect(permissions(path)).toBe(0o600);
});

test("a file that holds no key is named and left alone", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "identity");
  writeFileSync(path, "my notes");
  await expect(loadIdentity(directory, seven)).rejects.toThrow(ChatFailure);
  expect(readFileSync(path, "utf8")).toBe("my notes");
});
