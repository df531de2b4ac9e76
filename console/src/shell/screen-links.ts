/** The navigation: the screens, their addresses, and the surface of each. */
import type { SurfaceName } from "../api/page-settings.ts";
import type { IconName } from "../kit/icon.tsx";
import type { shellTexts } from "../texts/shell.ts";

export type ScreenName = keyof typeof shellTexts.screens;

export interface ScreenLink {
  readonly name: ScreenName;
  readonly href: string;
  readonly icon: IconName;
  /** Absent for a screen that every host has. */
  readonly surface?: SurfaceName;
}

export const screenLinks: readonly ScreenLink[] = [
  { name: "home", href: "/", icon: "home" },
  { name: "registry", href: "/registry", icon: "registry", surface: "registry" },
  { name: "votes", href: "/votes", icon: "votes", surface: "registry" },
  { name: "phone", href: "/phone", icon: "phone", surface: "ussd" },
  { name: "chat", href: "/chat", icon: "chat", surface: "oracle" },
  { name: "queries", href: "/queries", icon: "queries", surface: "query-gateway" },
  { name: "keys", href: "/keys", icon: "keys", surface: "registry" },
];
