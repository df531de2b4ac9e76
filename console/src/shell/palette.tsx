/** The command palette: screens, commands of the open screen, and domains, found by typing. */
import { keepPreviousData } from "@tanstack/react-query";
import { type ReactNode, createContext, useContext, useEffect, useId, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import { apiHooks } from "../api/api.ts";
import type { SurfaceName } from "../api/page-settings.ts";
import { domainHref } from "../kit/addresses.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { isComposing } from "../kit/is-composing.ts";
import { useSignInRequest } from "../kit/loaded.tsx";
import { KEPT, useSettled } from "../kit/use-settled.ts";
import { useCredentials } from "../session/use-caller.ts";
import { shellTexts } from "../texts/shell.ts";
import { usePageSettings } from "./page-settings-context.ts";
import { screenLinks } from "./screen-links.ts";

const paletteHint = "Type a command or the name of a domain";

export interface PaletteProps {
  /** Those of the open screen. */
  readonly commands: readonly PaletteCommand[];
  readonly onClose: () => void;
}

function Palette({ commands, onClose }: PaletteProps) {
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
        placeholder={paletteHint}
        aria-label={paletteHint}
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
        {found.length === 0 ? "Nothing matches. Try another word of its name." : ""}
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

/** Characters before the registry is asked. */
const LEAST = 2;
/** Domains that are offered. */
const OFFERED = 6;

/** Domains whose words match what is typed in the palette, as commands that open them. */
function useDomainCommands(typed: string, navigate: (href: string) => void): readonly PaletteCommand[] {
  const q = useSettled(typed.trim());
  const enabled = useCredentials().apiKey !== undefined && q.length >= LEAST;
  const { data } = apiHooks.useQuery(
    "get",
    "/v1/domains",
    { params: { query: { q, limit: OFFERED } } },
    { enabled, placeholderData: keepPreviousData, retry: false, gcTime: KEPT },
  );
  if (!enabled) return [];
  return (data?.data ?? []).map(({ id, name }) => ({
    id,
    title: `Domain: ${name ?? id}`,
    run: () => navigate(domainHref(id)),
  }));
}

interface Place {
  readonly id: keyof typeof shellTexts.commands;
  readonly href: string;
  readonly surface: SurfaceName;
}

const places: readonly Place[] = [
  { id: "createDomain", href: "/registry/new", surface: "registry" },
  { id: "importDomains", href: "/registry/import", surface: "registry" },
  { id: "exportDomains", href: "/registry?export=open", surface: "registry" },
  { id: "openProposals", href: "/votes?state=open", surface: "registry" },
  { id: "newProposal", href: "/votes/new", surface: "registry" },
  { id: "roll", href: "/votes/roll", surface: "registry" },
  { id: "audit", href: "/votes/audit", surface: "registry" },
  { id: "operator", href: "/phone/operator", surface: "ussd" },
  { id: "issueKey", href: "/keys/new", surface: "registry" },
  { id: "webhooks", href: "/keys/webhooks", surface: "registry" },
];

interface GlobalCommandParts {
  readonly surfaces: readonly SurfaceName[];
  readonly navigate: (href: string) => void;
  readonly requestSignIn: () => void;
}

/** Commands that the palette has on every screen: the screens, what people do most, and the documents of the API. */
function globalCommands({ surfaces, navigate, requestSignIn }: GlobalCommandParts): readonly PaletteCommand[] {
  const isServed = ({ surface }: { readonly surface?: SurfaceName }) =>
    surface === undefined || surfaces.includes(surface);
  const { commands, screens } = shellTexts;
  const open = (path: string) => () => void window.open(path, "_blank", "noreferrer");
  return [
    ...screenLinks
      .filter(isServed)
      .map(({ name, href }) => ({ id: name, title: screens[name], run: () => navigate(href) })),
    ...places.filter(isServed).map(({ id, href }) => ({ id, title: commands[id], run: () => navigate(href) })),
    { id: "signIn", title: commands.signIn, run: requestSignIn },
    { id: "reference", title: commands.reference, run: open("/docs") },
    ...(surfaces.includes("registry") ? [{ id: "graphiql", title: commands.graphiql, run: open("/graphql") }] : []),
  ];
}

/** A command of the palette: what it is called, and what it does. */
export interface PaletteCommand {
  /** Unique among the commands of the palette. */
  readonly id: string;
  readonly title: string;
  readonly run: () => void;
}

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
