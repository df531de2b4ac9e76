/** Everything that all screens need around them, and the screen that the address names. */
import { QueryClientProvider } from "@tanstack/react-query";
import { Fragment, useMemo, type ReactNode } from "react";
import { Route, Router, Switch } from "wouter";
import { queryClient } from "./api/api.ts";
import { readPageSettings } from "./api/page-settings.ts";
import { Announcer } from "./kit/announcer.tsx";
import { LiveChanges } from "./live/live-changes.tsx";
import { screens } from "./screens.ts";
import { useSignOutCount } from "./session/sign-out.ts";
import { Frame } from "./shell/frame.tsx";
import { NotFound } from "./shell/not-found.tsx";
import { PageSettingsContext } from "./shell/page-settings-context.ts";
import { PaletteCommands } from "./shell/palette-commands.tsx";
import { SessionGuard } from "./shell/session-guard.tsx";
import { LeaveChat } from "./shell/sign-out-dialog.tsx";
import { SignIn } from "./shell/sign-in.tsx";

export function App() {
  return (
    <Surroundings>
      <Frame>
        <NewAfterSignOut>
          <Switch>
            {screens.map(({ name, path, Screen }) => (
              <Route key={name} path={path}>
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

async function leaveChat(): Promise<void> {
  const { leaveChat: leave } = await import("./chat/chat-screen.tsx");
  await leave();
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
