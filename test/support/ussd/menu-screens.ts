/** The screens of the menus without a session: every state of every menu that has a screen in its `meta`, rendered. */
import type { Effects } from "../../../durable-objects/ussd-session/menus/effects.ts";
import type { ScreenSettings, StateMeta } from "../../../durable-objects/ussd-session/menus/menu.ts";
import { createRootMachine } from "../../../durable-objects/ussd-session/menus/root-menu.ts";
import type { Screen } from "../../../durable-objects/ussd-session/screen/screen.ts";
import { dictionaryOf, type Dictionary } from "../../../durable-objects/ussd-session/texts/dictionary.ts";

interface MenuMachine {
  readonly id: string;
  readonly states: Readonly<Record<string, { readonly meta?: unknown }>>;
  readonly implementations: { readonly actors?: Readonly<Record<string, unknown>> };
}

/** The states by `menu.state`, including nested child menus. No effect runs. */
export const menuStates: ReadonlyMap<string, StateMeta<never>> = new Map(statesOf(createRootMachine({} as Effects)));

function statesOf({ id, states, implementations }: MenuMachine): readonly (readonly [string, StateMeta<never>])[] {
  const own = Object.entries(states).flatMap(([state, { meta }]) =>
    meta === undefined ? [] : [[`${id}.${state}`, meta as StateMeta<never>] as const],
  );
  const menus = Object.values(implementations.actors ?? {}).filter(isMenu);
  return [...own, ...menus.flatMap(statesOf)];
}

function isMenu(logic: unknown): logic is MenuMachine {
  return typeof logic === "object" && logic !== null && "states" in logic;
}

const SETTINGS: ScreenSettings = { app: "Digital Services", answerPages: 4 };

/** The screen of a state with the required part of its menu's context. */
export function screenOf(
  state: string,
  context: object = {},
  dictionary: Dictionary = dictionaryOf("en"),
  settings = SETTINGS,
): Screen {
  const meta = menuStates.get(state);
  if (meta === undefined) throw new Error(`no state ${state}`);
  return meta.screen(dictionary, context as never, settings);
}
