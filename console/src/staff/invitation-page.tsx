/** The page of an invitation: it creates the person's passkey and signs them in. The token is in the address's fragment. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { EmptyState, Loaded } from "../kit/loaded.tsx";
import { ScreenHeader } from "../kit/screen-header.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { acceptInvitation, readInvitation } from "./passkeys.ts";

export default function InvitationPage() {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    // The browser's history keeps the address, so the token must be removed from it.
    if (location.hash !== "") history.replaceState(history.state, "", location.pathname);
  }, []);
  return (
    <>
      <ScreenHeader title="Your invitation" />
      {token === "" ? (
        <EmptyState title="This address has no invitation">
          <p>Open the whole link that you received. If you have opened it before, ask for a new one.</p>
        </EmptyState>
      ) : (
        <Invitation token={token} />
      )}
    </>
  );
}

function Invitation({ token }: { readonly token: string }) {
  const queries = useQueryClient();
  const [, goTo] = useLocation();
  const query = useQuery({
    // Without the token, because query keys may be logged.
    queryKey: ["staff", "invitation"],
    queryFn: () => readInvitation(token),
    staleTime: Infinity,
    gcTime: 0,
  });
  const accept = async (): Promise<void> => {
    await acceptInvitation(token);
    await queries.invalidateQueries({ queryKey: ["staff", "me"] });
    goTo("/staff", { replace: true });
  };
  return (
    <Loaded query={query} showsAge={false}>
      {({ name, role }) => (
        <div className="stack">
          <p>
            <strong>{name}</strong>, you are invited to work here with the role <strong>{role}</strong>.
          </p>
          <p>
            A passkey replaces a password. Your device or security key stores it, and asks for your fingerprint, face or
            PIN when you sign in. If you had a passkey here before, the new one replaces it.
          </p>
          <PasskeyButton onAsk={accept}>Create a passkey</PasskeyButton>
        </div>
      )}
    </Loaded>
  );
}
