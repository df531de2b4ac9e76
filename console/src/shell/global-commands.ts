/** Commands that the palette has on every screen: the screens, what people do most, and the documents of the API. */
import { shellTexts } from "../texts/shell.ts";
import type { SurfaceName } from "../api/page-settings.ts";
import type { PaletteCommand } from "./palette-command.ts";
import { screenLinks } from "./screen-links.ts";

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

export interface GlobalCommandParts {
  readonly surfaces: readonly SurfaceName[];
  readonly navigate: (href: string) => void;
  readonly requestSignIn: () => void;
}

export function globalCommands({ surfaces, navigate, requestSignIn }: GlobalCommandParts): readonly PaletteCommand[] {
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
