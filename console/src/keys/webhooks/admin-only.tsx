/** Shows content that requires a key with the scope registry:admin; without one, explains that and offers to sign in. */
import type { ReactNode } from "react";
import { Loaded, SignInNotice } from "../../kit/loaded.tsx";
import { useCaller, useCredentials, useRights } from "../../session/use-caller.ts";

const needsKey = "Webhooks need an API key with the scope registry:admin";

export interface AdminOnlyProps {
  /** Shown above the notice, for children with a separate head. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}

export function AdminOnly({ head, children }: AdminOnlyProps) {
  const { apiKey } = useCredentials();
  const caller = useCaller();
  if (useRights()?.isAdmin === true) return children;
  return (
    <>
      {head}
      {apiKey === undefined ? (
        <SignInNotice
          needs="apiKey"
          title={needsKey}
          why="This tab has no API key. Sign in with a key that has this scope."
        />
      ) : (
        <Loaded query={caller} showsAge={false}>
          {() => (
            <SignInNotice
              needs="apiKey"
              title={needsKey}
              why="This tab's key has different scopes. Sign in with a key that has this scope."
            />
          )}
        </Loaded>
      )}
    </>
  );
}
