/** The command palette: screens, commands of the open screen, and domains, found by typing. */
import { type ReactNode, createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { lazyPart } from "../kit/lazy-part.tsx";
import { shellTexts } from "../texts/shell.ts";

const paletteHint = "Type a command or the name of a domain";

export interface PaletteSearchProps {
  /** Commands of the open screen. */
  readonly commands: readonly PaletteCommand[];
  readonly hint: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onClose: () => void;
}

const PaletteSearch = lazyPart<PaletteSearchProps>(() => import("./palette-search.tsx"), { Waiting: PlainField });

/** Takes input while the search is being loaded. */
function PlainField({ hint, typed, onType }: PaletteSearchProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
  }, []);
  return (
    <input
      ref={input}
      type="text"
      aria-label={hint}
      placeholder={hint}
      value={typed}
      onChange={({ target }) => onType(target.value)}
    />
  );
}

function Palette({ commands, onClose }: Pick<PaletteSearchProps, "commands" | "onClose">) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title={shellTexts.palette} onClose={onClose} className="palette">
      <PaletteSearch commands={commands} hint={paletteHint} typed={typed} onType={setTyped} onClose={onClose} />
    </Dialog>
  );
}

/** A command of the palette: its name and its action. */
export interface PaletteCommand {
  /** Unique among the commands of the palette. */
  readonly id: string;
  readonly title: string;
  readonly run: () => void;
}

interface Registry {
  /** Adds commands; the returned function removes them. */
  readonly add: (commands: readonly PaletteCommand[]) => () => void;
  readonly open: () => void;
}

const PaletteContext = createContext<Registry>({ add: () => () => undefined, open: () => undefined });

/** Offers commands while the component is mounted. Memoise the list. */
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
      // An open question must be answered first.
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
      onPointerEnter={() => void PaletteSearch.prepare()}
      onFocus={() => void PaletteSearch.prepare()}
      aria-keyshortcuts={isMac ? "Meta+K" : "Control+K Meta+K"}
    >
      <Icon name="queries" />
      <span>{shellTexts.palette}</span>
      <kbd aria-hidden="true">{isMac ? "⌘ K" : "Ctrl K"}</kbd>
    </button>
  );
}
