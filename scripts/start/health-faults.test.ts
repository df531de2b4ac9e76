/** The announcement's sentences about faults. */
import { expect, test } from "vitest";
import { faultsOf } from "./health-faults.ts";

test("names each wrong variable with the fault and a valid example", () => {
  const configuration = [
    { surface: "shared", variable: "SURFACE_HOSTS", problem: "must be JSON", example: '{"h":["oracle"]}' },
    { surface: "registry", variable: "REGISTRY_QUORUM_BP", problem: "must be at most 10000, such as 3340" },
  ];
  expect(faultsOf({ database: "connected", configuration })).toEqual([
    'SURFACE_HOSTS must be JSON; for example: {"h":["oracle"]} (shared)',
    "REGISTRY_QUORUM_BP must be at most 10000, such as 3340 (registry)",
  ]);
});

test("reports a database that does not answer, and a server outside development", () => {
  expect(faultsOf({ database: "disconnected", misconfigured: { oracle: ["ORACLE_DID"] } })).toEqual([
    "The database is disconnected.",
    "ORACLE_DID is wrong (oracle); the log says why",
  ]);
  expect(faultsOf({ database: "connected" })).toEqual([]);
});
