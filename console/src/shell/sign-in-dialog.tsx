/** Takes the keys of this tab: with one click on a development machine, otherwise by pasting them. */
import { type ReactNode, type SubmitEvent, useCallback, useState } from "react";
import { tabStorage } from "../api/api.ts";
import type { CredentialName, Credentials } from "../api/credentials.ts";
import { isBlocked } from "../api/page-storage.ts";
import { Dialog } from "../kit/dialog.tsx";
import { Field, fieldTexts } from "../kit/field.tsx";
import { ErrorPanel, SignInRequest } from "../kit/loaded.tsx";
import { shellTexts } from "../texts/shell.ts";
import { usePageSettings } from "./page-settings-context.ts";
import { developmentKeys, useSignIn } from "./use-sign-in.ts";

const names = ["apiKey", "operatorToken", "phoneOperatorToken"] as const satisfies readonly CredentialName[];

function SignInDialog({ onClose }: { readonly onClose: () => void }) {
  const { developmentSignIn } = usePageSettings();
  const { isBusy, refused, failure, losses, signIn, confirm } = useSignIn();
  const [isEmpty, setIsEmpty] = useState(false);
  const attempt = async (find: () => Promise<Credentials>): Promise<void> => {
    setIsEmpty(false);
    if (await signIn(find)) onClose();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const entered = fieldTexts(event.currentTarget, names);
    const found = Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== ""));
    if (Object.keys(found).length === 0) setIsEmpty(true);
    else void attempt(() => Promise.resolve(found));
  };
  return (
    <Dialog title="Sign in to this console" onClose={onClose}>
      <form className="stack" onSubmit={submit} autoComplete="off">
        {developmentSignIn && (
          <div className="notice">
            <div className="stack tight">
              <p>You run twinedge on this machine, so the console can fetch its keys.</p>
              <button
                type="button"
                className="primary"
                aria-disabled={isBusy}
                onClick={() => void attempt(developmentKeys)}
              >
                {shellTexts.developmentSignIn}
              </button>
            </div>
          </div>
        )}
        <p className="muted">
          {
            "Keys stay in this tab and are sent only to this server. A reload keeps them; closing the tab, signing out, or 30 minutes without use removes them. Enter the keys that you need."
          }{" "}
          {isBlocked(tabStorage) && shellTexts.keepsNothing}
        </p>
        {names.map((name) => (
          <Field
            key={name}
            label={shellTexts[name]}
            hint={shellTexts[`${name}Hint`]}
            isOptional={name !== "apiKey"}
            error={refused.includes(name) ? shellTexts.refused[name] : undefined}
          >
            {(ids) => <input type="password" name={name} autoComplete="off" spellCheck={false} {...ids} />}
          </Field>
        ))}
        {failure !== undefined && <ErrorPanel error={failure} />}
        {isEmpty && (
          <p className="field-error" role="alert">
            Enter at least one key.
          </p>
        )}
        <div className="row end">
          <button type="submit" className={developmentSignIn ? "" : "primary"} aria-disabled={isBusy}>
            Sign in
          </button>
        </div>
      </form>
      {losses.length > 0 && (
        <div className="notice warn" role="alert">
          <div className="stack tight">
            {[
              "This API key belongs to a different holder than the key that you are signed in with. All keys of this tab will be replaced, and unsaved changes will be lost:",
              ...losses,
            ].map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
            <p>
              <button
                type="button"
                className="danger"
                onClick={() => {
                  confirm();
                  onClose();
                }}
              >
                Discard and sign in
              </button>
            </p>
          </div>
        </div>
      )}
    </Dialog>
  );
}

/** Lets any part below open the sign-in dialog, and shows it. */
export function SignIn({ children }: { readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const request = useCallback(() => setIsOpen(true), []);
  return (
    <SignInRequest value={request}>
      {children}
      {isOpen && <SignInDialog onClose={() => setIsOpen(false)} />}
    </SignInRequest>
  );
}
