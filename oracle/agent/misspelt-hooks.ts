/** Finds middleware that never runs: with a misspelt hook name, or without any hook. */
import type { AgentMiddleware } from "../framework/middleware.ts";
import { HOOK_ORDER } from "./hooks.ts";

const hooks: ReadonlySet<string> = new Set<string>([...HOOK_ORDER.map(({ hook }) => hook), "onText"]);
const LIKE_A_HOOK = /^(?:before|after|wrap|ontext)/i;
const LIKE_AN_EVENT = /^on[A-Z]/;

/** Functions with a name similar to a hook's; `["no hook"]` if no function is a hook. */
export function misspeltHooks(middleware: AgentMiddleware): readonly string[] {
  const functions = membersOf(middleware).filter(
    (name) => name !== "constructor" && typeof Reflect.get(middleware, name) === "function",
  );
  const wrong = functions.filter((name) => !hooks.has(name) && (LIKE_A_HOOK.test(name) || LIKE_AN_EVENT.test(name)));
  return wrong.length > 0 || functions.some((name) => hooks.has(name)) ? wrong : ["no hook"];
}

/** Includes members of its class. */
function membersOf(value: object): readonly string[] {
  const parent: unknown = Object.getPrototypeOf(value);
  const own = Object.getOwnPropertyNames(value);
  return typeof parent !== "object" || parent === null || parent === Object.prototype
    ? own
    : [...own, ...membersOf(parent)];
}
