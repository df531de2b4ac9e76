/** Collects the commands of the screen that is open for the palette, and opens it by button and by Ctrl+K or Command+K. */
import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from "react";
import { Icon } from "../kit/icon.tsx";
import { shellTexts } from "../texts/shell.ts";
import type { PaletteCommand } from "./palette-command.ts";
import { Palette } from "./palette.tsx";

interface Registry {
  /** Adds commands; returns what takes them away. */
  readonly add: (commands: readonly PaletteCommand[]) => () => void;
  readonly open: () => void;
}

const PaletteContext = createContext<Registry>({ add: () => () => undefined, open: () => undefined });

/** Offers commands while the component is shown. Memoise the list. */
export function usePaletteCommands(commands: readonly PaletteCommand[]): void {
  const { add } = useContext(PaletteContext);
  useEffect(() => add(commands), [add, commands]);
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function PaletteCommands({ children }: { readonly children: ReactNode }) {
  const [lists, setLists] = useState<readonly (readonly PaletteCommand[])[]>([]);
  const [isOpen, setIsOpen] = useState(false);
  const registry = useMemo<Registry>(
    () => ({
      add(commands) {
        setLists((before) => [...before, commands]);
        return () => setLists((before) => before.filter((list) => list !== commands));
      },
      open: () => setIsOpen(true),
    }),
    [],
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
      // On a Mac, Ctrl+K deletes to the end of a line.
      if (!(isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey || event.metaKey)) return;
      // A question that is open wants its answer first.
      if (document.querySelector("dialog:modal") !== null) return;
      event.preventDefault();
      setIsOpen(true);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <PaletteContext value={registry}>
      {children}
      {isOpen && <Palette commands={lists.flat()} onClose={() => setIsOpen(false)} />}
    </PaletteContext>
  );
}

export function PaletteButton() {
  const { open } = useContext(PaletteContext);
  return (
    <button
      type="button"
      className="palette-button"
      onClick={open}
      aria-keyshortcuts={isMac ? "Meta+K" : "Control+K Meta+K"}
    >
      <Icon name="queries" />
      <span>{shellTexts.palette}</span>
      <kbd aria-hidden="true">{isMac ? "⌘ K" : "Ctrl K"}</kbd>
    </button>
  );
}
