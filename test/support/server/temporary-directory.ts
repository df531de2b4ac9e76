/** Temporary directories of tests, removed even if a process that has just ended was still writing into them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** For one test, removed when the test is over. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "twinedge-test-"));
  onTestFinished(() => removeDirectory(path));
  return path;
}

/**
 * The children of an ended process may live and write a moment longer: a directory that got a new file meanwhile is emptied again.
 */
export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
