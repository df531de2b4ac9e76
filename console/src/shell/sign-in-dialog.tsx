/** Takes the keys of this tab: by one click on a development machine, else by pasting them. */
import { useState, type SubmitEvent } from "react";
import { tabStorage } from "../api/api.ts";
import type { Credentials, CredentialName } from "../api/credentials.ts";
import { isBlocked } from "../api/page-storage.ts";
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
        <p className="muted">
          {shellTexts.signInLead} {isBlocked(tabStorage) && shellTexts.storageBlocked}
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
            {shellTexts.signInEmpty}
          </p>
        )}
        <div className="row end">
          <button type="submit" className={developmentSignIn ? "" : "primary"} aria-disabled={isBusy}>
            {shellTexts.save}
          </button>
        </div>
      </form>
      {losses.length > 0 && (
        <div className="notice warn" role="alert">
          <div className="stack tight">
            {[shellTexts.otherPerson, ...losses].map((sentence) => (
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
                {shellTexts.otherPersonAction}
              </button>
            </p>
          </div>
        </div>
      )}
    </Dialog>
  );
}
