/** Temporary directories of tests, removed even if a process that has just ended was still writing to them. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { removeDirectory } from "./remove-directory.ts";

/** For one test, removed when the test is over. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "twinedge-test-"));
  onTestFinished(() => removeDirectory(path));
  return path;
}
