/** The screen below /console/staff: signing in with a passkey, the user's sessions, the people, and the audit log. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Route, Switch } from "wouter";
import { hasStatus } from "../api/api-failure.ts";
import { Loaded } from "../kit/loaded.tsx";
import { ScreenHeader, Tabs } from "../kit/screen-header.tsx";
import { usePageSettings } from "../shell/page-settings-context.ts";
import { NotFound } from "../shell/not-found.tsx";
import { AuditList } from "./audit-list.tsx";
import { MemberList } from "./member-list.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { signInDeveloper, signInWithPasskey } from "./passkeys.ts";
import { RoleTable } from "./role-table.tsx";
import { SessionList } from "./session-list.tsx";
import { staffRequest, type Me } from "./staff-requests.ts";

export default function StaffScreen() {
  return (
    <Switch>
      <Route path="/staff">
        <Part name="sessions" />
      </Route>
      <Route path="/staff/roles">
        <Part name="roles" />
      </Route>
      <Route path="/staff/members">
        <Part name="members" />
      </Route>
      <Route path="/staff/audit">
        <Part name="audit" />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

const tabs = [
  { name: "sessions", title: "Your sessions", href: "/staff", operation: "listStaffSessions" },
  { name: "roles", title: "Roles", href: "/staff/roles", operation: "getCurrentStaff" },
  { name: "members", title: "People", href: "/staff/members", operation: "listStaff" },
  { name: "audit", title: "Audit log", href: "/staff/audit", operation: "listAudit" },
] as const;

function Part({ name }: { readonly name: (typeof tabs)[number]["name"] }) {
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ["staff", "me"], queryFn: () => staffRequest<Me>("GET", "me") });
  const isSignedOut = query.data === undefined ? hasStatus(query.error, 401) : false;
  return (
    <>
      <ScreenHeader title="Staff" lead="People sign in with their own passkeys. Programs use API keys." />
      {isSignedOut ? (
        <SignIn onSignedIn={() => queries.resetQueries({ queryKey: ["staff"] })} />
      ) : (
        <Loaded query={query} showsAge={false}>
          {(me) => (
            <div className="stack loose">
              <p>
                You are <strong>{me.self.name}</strong>, {me.self.role}.{" "}
                {me.roles.find((role) => role.name === me.self.role)?.summary}
              </p>
              <Tabs label="Staff" tabs={tabs} current={name} />
              <PartOf name={name} me={me} />
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

function SignIn({ onSignedIn }: { readonly onSignedIn: () => Promise<void> }) {
  const { developmentSignIn } = usePageSettings();
  const ask = (signIn: () => Promise<void>) => async (): Promise<void> => {
    await signIn();
    await onSignedIn();
  };
  return (
    <section className="card stack" aria-label="Sign in">
      <p>
        Use the passkey that you created with your invitation. It is on your device, your phone or your security key. An
        administrator can invite you again if you have lost it.
      </p>
      <PasskeyButton onAsk={ask(signInWithPasskey)}>Sign in with a passkey</PasskeyButton>
      {developmentSignIn && (
        <div className="stack tight">
          <p className="muted small">This is a development machine, so you can also work without a passkey.</p>
          <PasskeyButton isSecondary onAsk={ask(signInDeveloper)}>
            Sign in as the developer
          </PasskeyButton>
        </div>
      )}
    </section>
  );
}

/** A part that the role cannot open shows a sentence instead; the server refuses its requests too. */
function PartOf({ name, me }: { readonly name: (typeof tabs)[number]["name"]; readonly me: Me }) {
  const { title, operation } = tabs.find((tab) => tab.name === name) ?? tabs[0];
  if (!me.self.operations.includes(operation)) {
    return (
      <p className="notice">
        Your role, {me.self.role}, cannot open “{title}”. Roles that can: {(me.operations[operation] ?? []).join(", ")}.
        Ask an administrator.
      </p>
    );
  }
  if (name === "roles") return <RoleTable me={me} />;
  if (name === "members") return <MemberList me={me} />;
  return name === "audit" ? <AuditList /> : <SessionList />;
}
