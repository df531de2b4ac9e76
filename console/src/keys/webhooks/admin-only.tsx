/** Shows what only a key with the scope registry:admin can read; without one, says so and offers to sign in. */
import type { ReactNode } from "react";
import { Loaded } from "../../kit/loaded.tsx";
import { SignInNotice } from "../../kit/sign-in-notice.tsx";
import { useCaller } from "../../session/use-caller.ts";
import { useRights } from "../../session/use-rights.ts";
import { useCredentials } from "../../session/use-credentials.ts";
import { webhooksTexts } from "../../texts/webhooks.ts";

export interface AdminOnlyProps {
  /** Shown above the notice, for children that have a head of their own. */
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
        <SignInNotice needs="apiKey" title={webhooksTexts.needsKey} why={webhooksTexts.needsKeyWhy} />
      ) : (
        <Loaded query={caller} showsAge={false}>
          {() => <SignInNotice needs="apiKey" title={webhooksTexts.needsKey} why={webhooksTexts.needsScope} />}
        </Loaded>
      )}
    </>
  );
}
