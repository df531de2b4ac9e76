/** Content that requires a key of this tab; without it, a notice names the key and offers to sign in. */
import type { ReactNode } from "react";
import { SignInNotice, type SignInNoticeProps } from "../kit/loaded.tsx";
import { useCredentials } from "./use-caller.ts";

export interface NeedsKeyProps extends Pick<SignInNoticeProps, "needs" | "why"> {
  readonly children: ReactNode;
}

export function NeedsKey({ needs, why, children }: NeedsKeyProps) {
  const isSignedIn = useCredentials()[needs] !== undefined;
  return isSignedIn ? children : <SignInNotice needs={needs} {...(why !== undefined && { why })} />;
}
