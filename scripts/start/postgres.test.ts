/** The configuration of `npm start -- --postgres`: the binding, and no secret. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { projectRoot } from "../run-command.ts";
import { withHyperdrive } from "./postgres.ts";

test("wrangler reads the binding HYPERDRIVE from the copy of wrangler.toml, without a connection string [RG-292]", () => {
  const config = join(temporaryDirectory(), "wrangler.toml");
  writeFileSync(config, withHyperdrive(readFileSync(join(projectRoot, "wrangler.toml"), "utf8")));
  const { hyperdrive, d1_databases: databases } = readConfig({ config }, { hideWarnings: true });
  expect(hyperdrive).toEqual([{ binding: "HYPERDRIVE", id: "0".repeat(32) }]);
  expect(databases).toHaveLength(1);
});
