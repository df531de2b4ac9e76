/** Removes directories of tests. It imports nothing of Vitest, so global setups can use it too. */
import { rmSync } from "node:fs";

/**
 * The children of an ended process can keep writing for a moment: a directory that got a new file meanwhile is emptied
 * again.
 */
export function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
