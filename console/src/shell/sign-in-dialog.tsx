/** Takes the keys of this tab: by one click on a development machine, else by pasting them. */
import type { SubmitEvent } from "react";
import type { Credentials, CredentialName } from "../api/credentials.ts";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorPanel } from "../kit/error-panel.tsx";
import { Field } from "../kit/field.tsx";
import { fieldTexts } from "../kit/field-texts.ts";
import { shellTexts } from "../texts/shell.ts";
import { usePageSettings } from "./page-settings-context.ts";
import { developmentKeys, useSignIn } from "./use-sign-in.ts";

const names = ["apiKey", "operatorToken", "phoneOperatorToken"] as const satisfies readonly CredentialName[];

export function SignInDialog({ onClose }: { readonly onClose: () => void }) {
  const { developmentSignIn } = usePageSettings();
  const { isBusy, isRefused, failure, signIn } = useSignIn();
  const attempt = async (find: () => Promise<Credentials>): Promise<void> => {
    if (await signIn(find)) onClose();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const entered = fieldTexts(event.currentTarget, names);
    void attempt(() =>
      Promise.resolve(Object.fromEntries(Object.entries(entered).filter(([, value]) => value !== ""))),
    );
  };
  return (
    <Dialog title={shellTexts.signInTitle} onClose={onClose}>
      <form className="stack" onSubmit={submit} autoComplete="off">
        {developmentSignIn && (
          <div className="notice">
            <div className="stack tight">
              <p>{shellTexts.developmentHint}</p>
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
        <p className="muted">{shellTexts.signInLead}</p>
        {names.map((name) => (
          <Field
            key={name}
            label={shellTexts[name]}
            hint={shellTexts[`${name}Hint`]}
            isOptional={name !== "apiKey"}
            error={name === "apiKey" && isRefused ? shellTexts.signInRefused : undefined}
          >
            {(ids) => <input type="password" name={name} autoComplete="off" spellCheck={false} {...ids} />}
          </Field>
        ))}
        {failure !== undefined && <ErrorPanel error={failure} />}
        <div className="row end">
          <button type="submit" className={developmentSignIn ? "" : "primary"} aria-disabled={isBusy}>
            {shellTexts.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
