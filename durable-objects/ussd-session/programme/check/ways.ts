/** Every way leads to a screen, every screen is reached and can end, and no way runs in circles without the caller. */
import { isSeen } from "../file-screen.ts";
import type { MenuFile } from "../menu-file.ts";
import type { FileScreen } from "../screen-schemas.ts";
import { allWays, type Way } from "./paths.ts";
import type { Report } from "./report.ts";

export function checkWays(file: MenuFile, report: Report): void {
  const screens = new Map(Object.entries(file.screens));
  const ways = allWays(file);
  for (const { from, to, path } of ways)
    if (!screens.has(to)) report(path, `leads to "${to}", which is not a screen`, { screen: from });
  checkEnds(file, screens, report);
  checkKeys(file, report);
  const known = ways.filter(({ to }) => screens.has(to));
  checkReached(file, screens, known, report);
  checkCanEnd(screens, known, report);
  checkCircles(screens, known, report);
  checkParts(file, report);
}

function checkEnds({ start, exit }: MenuFile, screens: ReadonlyMap<string, FileScreen>, report: Report): void {
  const first = screens.get(start);
  if (first === undefined) report(["start"], `"${start}" is not a screen`);
  else if (!("menu" in first || "show" in first) || first.login === true || first.role !== undefined)
    report(["start"], "must be a menu or show for every caller, without login and role", { screen: start });
  if (exit === undefined) return;
  const last = screens.get(exit);
  if (last === undefined || !("end" in last)) report(["exit"], `"${exit}" is not a screen of the kind end`);
}

function checkKeys(file: MenuFile, report: Report): void {
  for (const [screen, member] of Object.entries(file.screens)) {
    const list = "choices" in member ? "choices" : "options";
    const keys = ("choices" in member ? member.choices : "options" in member ? (member.options ?? []) : []).map(
      ({ key }) => key,
    );
    for (const [index, key] of keys.entries())
      if (keys.indexOf(key) !== index) report(["screens", screen, list, index], `repeats the key ${key}`, { screen });
    if (!("menu" in member) || member.compact === undefined) continue;
    for (const key of Object.keys(member.compact.options))
      if (!keys.includes(key))
        report(["screens", screen, "compact", "options", key], `has no option ${key}`, { screen });
  }
}

function checkReached(
  { start, exit }: MenuFile,
  screens: ReadonlyMap<string, FileScreen>,
  ways: readonly Way[],
  report: Report,
): void {
  const reached = new Set([start, exit]);
  const from = Map.groupBy(ways, ({ from }) => from);
  const waiting = [start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const { to } of from.get(name) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      waiting.push(to);
    }
  }
  for (const screen of screens.keys())
    if (!reached.has(screen)) report(["screens", screen], "no way leads to it", { screen });
}

/** A screen can end if it ends the call, shows the way out, or leads to such a screen; `0` leads to every earlier one. */
function checkCanEnd(screens: ReadonlyMap<string, FileScreen>, ways: readonly Way[], report: Report): void {
  const into = Map.groupBy(ways, ({ to }) => to);
  const out = Map.groupBy(ways, ({ from }) => from);
  const waiting = [...screens].flatMap(([name, screen]) => (ends(screen) ? [name] : []));
  const able = new Set(waiting);
  const found = (name: string): void => {
    if (able.has(name)) return;
    able.add(name);
    waiting.push(name);
  };
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const { from } of into.get(name) ?? []) found(from);
    for (const { to } of out.get(name) ?? []) {
      const screen = screens.get(to);
      if (screen !== undefined && isSeen(screen) && screen.back === undefined) found(to);
    }
  }
  for (const screen of screens.keys())
    if (!able.has(screen)) report(["screens", screen], "cannot end: no way leads to an end or an exit", { screen });
}

function ends(screen: FileScreen): boolean {
  return "end" in screen || ("exit" in screen && screen.exit === "always");
}

/** Calls and parts that lead to each other without a screen between them would never stop. */
function checkCircles(screens: ReadonlyMap<string, FileScreen>, ways: readonly Way[], report: Report): void {
  const isSilent = (name: string): boolean => {
    const screen = screens.get(name);
    return screen !== undefined && ("call" in screen || "go" in screen);
  };
  const out = Map.groupBy(
    ways.filter(({ from, to }) => isSilent(from) && isSilent(to)),
    ({ from }) => from,
  );
  const done = new Set<string>();
  for (const first of out.keys()) {
    // Depth first, with the chain of open screens; no recursion, however long the chain.
    const open: { readonly name: string; readonly rest: Way[] }[] = [
      { name: first, rest: [...(out.get(first) ?? [])] },
    ];
    while (open.length > 0) {
      const top = open.at(-1);
      const way = top?.rest.pop();
      if (way === undefined) {
        const closed = open.pop();
        if (closed !== undefined) done.add(closed.name);
      } else if (open.some(({ name }) => name === way.to)) {
        report(way.path, `runs in circles: "${way.to}" leads back here without a screen`, { screen: way.from });
      } else if (!done.has(way.to)) open.push({ name: way.to, rest: [...(out.get(way.to) ?? [])] });
    }
  }
  const length = longestChain(out);
  if (length > MOST_SILENT)
    report(["screens"], `${length} calls follow each other without a screen; at most ${MOST_SILENT} may`, {
      count: length,
    });
}

/** Calls and parts that may follow each other without a screen between them. */
const MOST_SILENT = 10;

/** The number of screens of the longest chain, at most one more than is allowed. */
function longestChain(out: ReadonlyMap<string, readonly Way[]>): number {
  let ends = new Set(out.keys());
  for (let length = 1; length <= MOST_SILENT; length += 1) {
    ends = new Set([...ends].flatMap((name) => (out.get(name) ?? []).map(({ to }) => to)));
    if (ends.size === 0) return length;
  }
  return MOST_SILENT + 1;
}

function checkParts(file: MenuFile, report: Report): void {
  for (const [screen, member] of Object.entries(file.screens)) {
    if (!("go" in member) || member.go !== "resume") continue;
    for (const [kind, part] of [
      ["account", "create-account"],
      ["question", "ask-question"],
    ] as const) {
      const target = Object.hasOwn(file.screens, member[kind]) ? file.screens[member[kind]] : undefined;
      if (target !== undefined && !("go" in target && target.go === part))
        report(["screens", screen, kind], `must be a screen with go: ${part}`, { screen });
    }
  }
}
