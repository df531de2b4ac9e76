/** Says which key something needs, and offers to enter it. */
import type { ReactNode } from "react";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { useSignInRequest } from "./sign-in-request.ts";

export interface SignInNoticeProps {
  readonly title?: string;
  readonly children: ReactNode;
}

export function SignInNotice({ title, children }: SignInNoticeProps) {
  const requestSignIn = useSignInRequest();
  return (
    <div className="notice">
      <Icon name="info" />
      <div className="stack tight">
        {title !== undefined && (
          <p>
            <strong>{title}</strong>
          </p>
        )}
        <p>{children}</p>
        <p>
          <button type="button" className="primary" onClick={requestSignIn}>
            {kitTexts.signIn}
          </button>
        </p>
      </div>
    </div>
  );
}
