/** Starts the console in the page that the Worker serves: the routes, and the frame around all screens. */
import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, Fragment, type ReactNode, StrictMode, startTransition, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { Route, Router, Switch } from "wouter";
import { queryClient } from "./api/api.ts";
import { readPageSettings } from "./api/page-settings.ts";
import { HomeScreen } from "./home/home-screen.tsx";
import { Announcer } from "./kit/announcer.tsx";
import { type LazyPart, MissingFile, lazyPart } from "./kit/lazy-part.tsx";
import { LiveChanges } from "./live/live-changes.tsx";
import { useSignOutCount } from "./session/sign-out.ts";
import { Frame } from "./shell/frame.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { PageSettingsContext } from "./shell/page-settings-context.ts";
import { PaletteCommands } from "./shell/palette.tsx";
import { SessionGuard } from "./shell/session-guard.tsx";
import { SignIn } from "./shell/sign-in-dialog.tsx";
import { LeaveChat } from "./shell/sign-out-dialog.tsx";
import { applyTheme, readTheme } from "./shell/theme.ts";

// Shared by several screens. These files are part of the first file, so they need no separate request.
import.meta.glob(["./{kit,session,api,texts}/*.{ts,tsx}", "!./**/*.test.*"], { eager: true });

interface ScreenRoute {
  /** Below /console, as wouter matches it. */
  readonly path: string;
  readonly Screen: ComponentType | LazyPart<object>;
}

/** Each screen owns the addresses below its path and is loaded when it is first opened. */
const routes: readonly ScreenRoute[] = [
  { path: "/", Screen: HomeScreen },
  { path: "/registry/*?", Screen: lazyPart(() => import("./registry/registry-screen.tsx")) },
  { path: "/votes/*?", Screen: lazyPart(() => import("./votes/votes-screen.tsx")) },
  { path: "/phone/*?", Screen: lazyPart(() => import("./phone/phone-screen.tsx")) },
  { path: "/chat/*?", Screen: lazyPart(() => import("./chat/chat-screen.tsx")) },
  { path: "/queries/*?", Screen: lazyPart(() => import("./queries/queries-screen.tsx")) },
  { path: "/keys/*?", Screen: lazyPart(() => import("./keys/keys-screen.tsx")) },
  { path: "/staff/*?", Screen: lazyPart(() => import("./staff/staff-screen.tsx")) },
  { path: "/invitation", Screen: lazyPart(() => import("./staff/invitation-page.tsx")) },
];

function App() {
  return (
    <Surroundings>
      <Frame>
        <NewAfterSignOut>
          <Switch>
            {routes.map(({ path, Screen }) => (
              <Route key={path} path={path}>
                <Screen />
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </NewAfterSignOut>
      </Frame>
    </Surroundings>
  );
}

function NewAfterSignOut({ children }: { readonly children: ReactNode }) {
  return <Fragment key={useSignOutCount()}>{children}</Fragment>;
}

function Surroundings({ children }: { readonly children: ReactNode }) {
  const settings = useMemo(() => readPageSettings(document), []);
  return (
    <PageSettingsContext value={settings}>
      <QueryClientProvider client={queryClient}>
        <Router base="/console">
          <Announcer>
            <SignIn>
              <SessionGuard />
              <LiveChanges>
                <LeaveChat value={leaveChat}>
                  <PaletteCommands>{children}</PaletteCommands>
                </LeaveChat>
              </LiveChanges>
            </SignIn>
          </Announcer>
        </Router>
      </QueryClientProvider>
    </PageSettingsContext>
  );
}

async function leaveChat(): Promise<void> {
  const { leaveChat: leave } = await import("./chat/chat-screen.tsx");
  await leave();
}

/**
 * Milliseconds that the frame waits for its screen, so that both are rendered together. The page has already started loading the
 * file.
 */
const PATIENCE = 500;

async function start(root: HTMLElement): Promise<void> {
  const [, , first = ""] = location.pathname.split("/");
  const Screen = routes.find(({ path }) => path.split("/")[1] === first)?.Screen;
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  if (Screen !== undefined && "prepare" in Screen) await Promise.race([Screen.prepare(), patience]);
  const reactRoot = createRoot(root, {
    // The page shows a missing file in place; any other error is a bug.
    onCaughtError: (error) => error instanceof MissingFile || reportError(error),
  });
  // A transition is rendered in slices, between which a slow processor handles input.
  startTransition(() => reactRoot.render(<StrictMode children={<App />} />));
}

applyTheme(readTheme());
const root = document.getElementById("root");
if (root !== null) void start(root);
