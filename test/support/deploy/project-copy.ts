/**
 * A copy of the project in which commands can change files: `wrangler.toml`, `dist` and a git history of its own. Packages are links.
 * The assets are those of the last build.
 */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";

const project = resolve(import.meta.dirname, "../../..");
const LEFT_OUT = new Set(["node_modules", ".git", ".wrangler", ".dev.vars"]);
/** Of `dist`, whose other folders may belong to tests that run now. */
const BUILT = new Set(["", "assets", "console.json"]);

export function copyProject(target: string): void {
  cpSync(project, target, {
    recursive: true,
    filter(source) {
      const [first = "", second = ""] = relative(project, source).split("/");
      return !LEFT_OUT.has(basename(source)) && (first !== "dist" || BUILT.has(second));
    },
  });
  for (const folder of ["", "console"]) {
    const packages = join(project, folder, "node_modules");
    mkdirSync(join(target, folder, "node_modules"));
    for (const name of readdirSync(packages))
      symlinkSync(join(packages, name), join(target, folder, "node_modules", name));
  }
}
