/** The PostgreSQL server of a machine: where its programs are found, and the user that runs them. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { findServerPrograms, serverUser } from "./server-programs.ts";

function programsIn(folder: string, version: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ["initdb", "postgres"]) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} (PostgreSQL) ${version}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

test("programs on PATH come first, then the newest version in Debian's folder [RG-291]", () => {
  const folder = temporaryDirectory();
  const [path, debianFolder] = [join(folder, "bin"), join(folder, "lib")];
  programsIn(join(debianFolder, "9", "bin"), "9.6.1");
  programsIn(join(debianFolder, "17", "bin"), "17.2 (Debian 17.2-1)");
  expect(findServerPrograms({ path, debianFolder })).toMatchObject({
    ok: true,
    value: { version: 17, initdb: join(debianFolder, "17/bin/initdb") },
  });
  programsIn(path, "16.1");
  expect(findServerPrograms({ path, debianFolder })).toMatchObject({ ok: true, value: { version: 16 } });
});

test("a missing server and an old one are refused with advice [RG-291]", () => {
  const folder = temporaryDirectory();
  expect(findServerPrograms({ path: folder, debianFolder: join(folder, "lib") })).toMatchObject({
    ok: false,
    error: expect.stringContaining("apt-get install postgresql"),
  });
  programsIn(folder, "14.9");
  expect(findServerPrograms({ path: folder, debianFolder: folder })).toMatchObject({
    ok: false,
    error: expect.stringContaining("has version 14; PostgreSQL 15 or newer is needed"),
  });
});

test("root runs the server as another user, and other users run it themselves [RG-291]", () => {
  const nobody = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin";
  const postgres = "postgres:x:101:104::/var/lib/postgresql:/bin/bash";
  expect(serverUser(0, `root:x:0:0::/root:/bin/sh\n${nobody}\n${postgres}\n`)).toEqual({
    ok: true,
    value: { name: "postgres", uid: 101, gid: 104 },
  });
  expect(serverUser(0, nobody)).toMatchObject({ ok: true, value: { name: "nobody", uid: 65_534 } });
  expect(serverUser(1000, nobody)).toEqual({ ok: true, value: undefined });
  expect(serverUser(0, "")).toMatchObject({ ok: false, error: expect.stringContaining("does not run as root") });
});
