/** The texts that a screen of a menu file uses, with the member that names each. */
import type { FileScreen } from "./screen-schemas.ts";

export interface TextUse {
  readonly screen: string;
  readonly text: string;
  readonly path: readonly PropertyKey[];
}

export function textsOf(name: string, screen: FileScreen): readonly TextUse[] {
  const use = (text: string, ...path: readonly PropertyKey[]): TextUse => ({
    screen: name,
    text,
    path: ["screens", name, ...path],
  });
  if ("end" in screen) return [use(screen.end, "end")];
  if ("call" in screen) return [];
  if ("go" in screen) return screen.go === "sms" ? [use(screen.about, "about")] : [];
  if ("ask" in screen) {
    const choices = screen.ask === "choice" ? screen.choices : [];
    return [use(screen.text, "text"), ...choices.map(({ text }, index) => use(text, "choices", index, "text"))];
  }
  const options = (screen.options ?? []).map(({ text }, index) => use(text, "options", index, "text"));
  if ("show" in screen) return [use(screen.show, "show"), ...options];
  const { compact } = screen;
  const short =
    compact === undefined
      ? []
      : [
          use(compact.text, "compact", "text"),
          ...Object.entries(compact.options).map(([key, text]) => use(text, "compact", "options", key)),
        ];
  return [use(screen.menu, "menu"), ...options, ...short];
}
