/** The search of the palette: screens, commands of the open screen, and domains. Loaded when the palette is first opened. */
import { Autocomplete } from "@base-ui/react/autocomplete";
import { keepPreviousData } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { apiHooks } from "../api/api.ts";
import type { SurfaceName } from "../api/page-settings.ts";
import { domainHref } from "../kit/addresses.ts";
import { isComposing } from "../kit/is-composing.ts";
import { useSignInRequest } from "../kit/loaded.tsx";
import { KEPT, useSettled } from "../kit/use-settled.ts";
import { useCredentials } from "../session/use-caller.ts";
import { shellTexts } from "../texts/shell.ts";
import { usePageSettings } from "./page-settings-context.ts";
import type { PaletteCommand, PaletteSearchProps } from "./palette.tsx";
import { screenLinks } from "./screen-links.ts";

export default function PaletteSearch({ commands, hint, typed, onType, onClose }: PaletteSearchProps) {
  const [, navigate] = useLocation();
  const { surfaces } = usePageSettings();
  const requestSignIn = useSignInRequest();
  const input = useRef<HTMLInputElement>(null);
  const domains = useDomainCommands(typed, navigate);
  const words = typed.toLowerCase().split(/\s+/);
  const matching = [...commands, ...globalCommands({ surfaces, navigate, requestSignIn })].filter(({ title }) =>
    words.every((word) => title.toLowerCase().includes(word)),
  );
  const found = [...matching, ...domains];
  useEffect(() => {
    input.current?.focus();
  }, []);
  return (
    <Autocomplete.Root
      inline
      open
      items={found}
      filter={null}
      autoHighlight="always"
      keepHighlight
      value={typed}
      itemToStringValue={titleOf}
      onValueChange={(value, { reason }) => {
        if (reason === "input-change") onType(value);
      }}
    >
      <Autocomplete.Input
        ref={input}
        aria-label={hint}
        placeholder={hint}
        onKeyDown={(event) => {
          if (isComposing(event)) event.preventBaseUIHandler();
        }}
      />
      <Autocomplete.Status className={found.length === 0 ? "muted" : "hidden-visually"}>
        {found.length === 0 ? "No matches. Try another word of the name." : ""}
      </Autocomplete.Status>
      <Autocomplete.List aria-label={shellTexts.palette} hidden={found.length === 0}>
        {(command: PaletteCommand) => (
          <Autocomplete.Item
            key={command.id}
            value={command}
            onClick={() => {
              onClose();
              command.run();
            }}
          >
            {command.title}
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function titleOf({ title }: PaletteCommand): string {
  return title;
}

/** Minimum characters for a search in the registry. */
const LEAST = 2;
/** Maximum domains offered. */
const OFFERED = 6;

/** Domains that match the text in the palette, as commands that open them. */
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

/** Commands on every screen: the screens, common actions, and the API documents. */
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
