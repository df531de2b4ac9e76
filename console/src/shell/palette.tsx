/** The command palette: screens, commands of the open screen, and domains, found by typing. */
import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Dialog } from "../kit/dialog.tsx";
import { isComposing } from "../kit/is-composing.ts";
import { useSignInRequest } from "../kit/sign-in-request.ts";
import { shellTexts } from "../texts/shell.ts";
import { globalCommands } from "./global-commands.ts";
import type { PaletteCommand } from "./palette-command.ts";
import { usePageSettings } from "./page-settings-context.ts";
import { useDomainCommands } from "./use-domain-commands.ts";

export interface PaletteProps {
  /** Those of the open screen. */
  readonly commands: readonly PaletteCommand[];
  readonly onClose: () => void;
}

export function Palette({ commands, onClose }: PaletteProps) {
  const [, navigate] = useLocation();
  const { surfaces } = usePageSettings();
  const requestSignIn = useSignInRequest();
  const [typed, setTyped] = useState("");
  const [selected, setSelected] = useState(0);
  const list = useId();
  const input = useRef<HTMLInputElement>(null);
  const domains = useDomainCommands(typed, navigate);
  const words = typed.toLowerCase().split(/\s+/);
  const matching = [...commands, ...globalCommands({ surfaces, navigate, requestSignIn })].filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  );
  const found = [...matching, ...domains];
  const current = found[Math.min(selected, found.length - 1)];
  const run = (command: PaletteCommand | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const move = (steps: number): void => setSelected((selected + steps + found.length) % Math.max(1, found.length));
  useEffect(() => {
    input.current?.focus();
  }, []);
  useEffect(() => {
    document.getElementById(`${list}-${current?.id}`)?.scrollIntoView({ block: "nearest" });
  });
  return (
    <Dialog title={shellTexts.palette} onClose={onClose} className="palette">
      <input
        ref={input}
        type="text"
        role="combobox"
        value={typed}
        placeholder={shellTexts.paletteHint}
        aria-label={shellTexts.paletteHint}
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={current === undefined ? undefined : `${list}-${current.id}`}
        onChange={(event) => {
          setTyped(event.target.value);
          setSelected(0);
        }}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "Enter") run(current);
          else if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else return;
          event.preventDefault();
        }}
      />
      <p role="status" className={found.length === 0 ? "muted" : "hidden-visually"}>
        {found.length === 0 ? shellTexts.paletteNothing : ""}
      </p>
      <ul id={list} role="listbox" aria-label={shellTexts.palette} hidden={found.length === 0}>
        {found.map((command) => (
          <li
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            aria-selected={command === current}
            onClick={() => run(command)}
          >
            {command.title}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
