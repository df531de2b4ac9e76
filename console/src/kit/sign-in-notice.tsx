/** Says which key something needs and why, and offers to sign in. */
import type { ReactNode } from "react";
import type { CredentialName } from "../api/credentials.ts";
import { kitTexts } from "../texts/kit.ts";
import { Icon } from "./icon.tsx";
import { useSignInRequest } from "./sign-in-request.ts";

const whyKey = {
  apiKey:
    "The registry answers nobody without one. Who runs this platform issues it; it says who you are and what you may do.",
  operatorToken: "That is ADMIN_TOKEN in the server's settings.",
  phoneOperatorToken:
    "That is USSD_OPERATOR_TOKEN in the server's settings. It opens accounts, sessions and statistics.",
  gatewaySecret: "Who runs the deployment has it.",
};

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
        <p>{why ?? whyKey[needs]}</p>
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
