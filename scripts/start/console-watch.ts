/** While the server runs: rebuilds the console when one of its files has changed. Wrangler notices the new files. */
import { existsSync, readdirSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";

export interface ConsoleWatchOptions {
  /** Paths; `node_modules` below them are ignored. */
  readonly folders: readonly string[];
  /** Whether it was built: the change may have had no effect. */
  readonly build: () => Promise<boolean>;
  readonly print: (line: string) => void;
}

/** Milliseconds without a further change before a build: an editor or git writes several files. */
const QUIET = 100;

/** Returns a function that stops it. */
export function watchConsole({ folders, build, print }: ConsoleWatchOptions): () => void {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isBuilding = false;
  let isOver = false;

  const say = (line: string): void => {
    if (!isOver) print(line);
  };
  const changed = (): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(() => void rebuild(), QUIET);
  };
  const rebuild = async (): Promise<void> => {
    // A change during a build starts another build afterwards.
    if (isBuilding) return changed();
    isBuilding = true;
    follow();
    try {
      if (await build()) say("The console was rebuilt: reload its page.");
    } catch (error) {
      say((error as Error).message);
    }
    isBuilding = false;
  };
  /** One watcher per folder, recreated each time: the folder may have been replaced by now. */
  const follow = (): void => {
    const before = watchers;
    watchers = [];
    const cannot = ({ message }: Error): void => say(`Some changes do not rebuild the console: ${message}`);
    try {
      for (const folder of folders.flatMap(foldersBelow)) watchers.push(watch(folder, changed).on("error", cannot));
    } catch (error) {
      cannot(error as Error);
    }
    for (const watcher of before) watcher.close();
  };

  follow();
  return () => {
    isOver = true;
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** The folder itself and all below it. */
function foldersBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "node_modules",
  );
  return [folder, ...inside.flatMap(({ name }) => foldersBelow(join(folder, name)))];
}
