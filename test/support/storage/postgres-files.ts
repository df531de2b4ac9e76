/** Setup of the project `postgres`: each file has an empty database as `env.DATABASE`, and its databases end with it. */
import { afterAll, afterEach } from "vitest";
import { closeIdleConnections, dropFreshDatabases } from "./fresh-postgres.ts";
import { renewFileDatabase } from "./workers-on-postgres.ts";

renewFileDatabase();
afterEach(closeIdleConnections);
afterAll(dropFreshDatabases);
