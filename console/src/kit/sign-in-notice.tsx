/** Says which key something needs and why, and offers to sign in. */
import type { ReactNode } from "react";
import type { CredentialName } from "../api/credentials.ts";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { useSignInRequest } from "./sign-in-request.ts";

export interface SignInNoticeProps {
  readonly needs: CredentialName;
  /** In place of what is said of every such key. */
  readonly title?: string;
  readonly why?: string;
  /** Beside the button. */
  readonly children?: ReactNode;
}

export function SignInNotice({ needs, title, why, children }: SignInNoticeProps) {
  const requestSignIn = useSignInRequest();
  return (
    <div className="notice">
      <Icon name="info" />
      <div className="stack tight">
        <p>
          <strong>{title ?? kitTexts.needsKey[needs]}</strong>
        </p>
        <p>{why ?? kitTexts.whyKey[needs]}</p>
        <p className="row wrap">
          <button type="button" className="primary" onClick={requestSignIn}>
            {kitTexts.signIn}
          </button>
          {children}
        </p>
      </div>
    </div>
  );
}
