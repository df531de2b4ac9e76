/**
 * The screens, in the order of the navigation. Each owns the addresses below its path and is loaded when it is first opened;
 * its folder exports one component.
 */
import type { ComponentType } from "react";
import "./api/form-check.ts";
import "./texts/domain-members.ts";
import "./texts/domain-types.ts";
import { HomeScreen } from "./home/home-screen.tsx";
import { lazyPart, type LazyPart } from "./kit/lazy-part.tsx";
import type { ScreenName } from "./shell/screen-links.ts";

// Several screens share these. As part of the first file they need no request of their own.
import.meta.glob(["./{kit,session}/*.{ts,tsx}", "!./**/*.test.*"], { eager: true });

export interface ScreenRow {
  readonly name: ScreenName;
  /** Below /console, as wouter matches it. */
  readonly path: string;
  readonly Screen: ComponentType | LazyPart<object>;
}

export const screens: readonly ScreenRow[] = [
  { name: "home", path: "/", Screen: HomeScreen },
  { name: "registry", path: "/registry/*?", Screen: lazyPart(() => import("./registry/registry-screen.tsx")) },
  { name: "votes", path: "/votes/*?", Screen: lazyPart(() => import("./votes/votes-screen.tsx")) },
  { name: "phone", path: "/phone/*?", Screen: lazyPart(() => import("./phone/phone-screen.tsx")) },
  { name: "chat", path: "/chat/*?", Screen: lazyPart(() => import("./chat/chat-screen.tsx")) },
  { name: "queries", path: "/queries/*?", Screen: lazyPart(() => import("./queries/queries-screen.tsx")) },
  { name: "keys", path: "/keys/*?", Screen: lazyPart(() => import("./keys/keys-screen.tsx")) },
];

/** @param address with /console. Resolves when the screen's file is there, or cannot be loaded. */
export async function prepareScreen(address: string): Promise<void> {
  const [, , first = ""] = address.split("/");
  const Screen = screens.find(({ path }) => path.split("/")[1] === first)?.Screen;
  if (Screen !== undefined && "prepare" in Screen) await Screen.prepare();
}
