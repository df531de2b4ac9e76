/** Directories of tests, and how they go although a process that has just ended had written into them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** For one test, gone when the test is over. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "twinedge-test-"));
  onTestFinished(() => removeDirectory(path));
  return path;
}

/** The children of a process that ended may live and write a moment longer: a directory that got a file meanwhile is emptied again. */
export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
