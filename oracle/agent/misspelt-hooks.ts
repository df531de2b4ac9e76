/** Finds middleware that looks as if it did something and does not: a hook whose name nobody calls, or no hook at all. */
import type { AgentMiddleware } from "../framework/middleware.ts";
import { HOOK_ORDER } from "./hooks.ts";

const hooks: ReadonlySet<string> = new Set<string>([...HOOK_ORDER.map(({ hook }) => hook), "onText"]);
const LIKE_A_HOOK = /^(?:before|after|wrap|ontext)/i;
const LIKE_AN_EVENT = /^on[A-Z]/;

/** The functions that are named like a hook and are none; `["no hook"]` when there is no function that is one. */
export function misspeltHooks(middleware: AgentMiddleware): readonly string[] {
  const functions = membersOf(middleware).filter(
    (name) => name !== "constructor" && typeof Reflect.get(middleware, name) === "function",
  );
  const wrong = functions.filter((name) => !hooks.has(name) && (LIKE_A_HOOK.test(name) || LIKE_AN_EVENT.test(name)));
  return wrong.length > 0 || functions.some((name) => hooks.has(name)) ? wrong : ["no hook"];
}

/** Those of its class too. */
function membersOf(value: object): readonly string[] {
  const parent: unknown = Object.getPrototypeOf(value);
  const own = Object.getOwnPropertyNames(value);
  return typeof parent !== "object" || parent === null || parent === Object.prototype
    ? own
    : [...own, ...membersOf(parent)];
}
