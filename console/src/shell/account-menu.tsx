/** Who is signed in, signing in and out, and the theme, behind one button. */
import { useId, useState, type MouseEvent } from "react";
import { ConfirmDialog } from "../kit/confirm-dialog.tsx";
import { DidText } from "../kit/did-text.tsx";
import { Icon } from "../kit/icon.tsx";
import { useSignInRequest } from "../kit/sign-in-request.ts";
import { unsaved } from "../kit/unsaved.ts";
import { useCaller } from "../session/use-caller.ts";
import { signOut as endSession } from "../session/sign-out.ts";
import { useCredentials } from "../session/use-credentials.ts";
import { shellTexts } from "../texts/shell.ts";
import { readTheme, saveTheme, themes } from "./theme.ts";

export function AccountMenu() {
  const popover = useId();
  const { data: caller } = useCaller();
  const isSignedIn = Object.keys(useCredentials()).length > 0;
  const requestSignIn = useSignInRequest();
  const [theme, setTheme] = useState(readTheme);
  const [losses, setLosses] = useState<readonly string[]>([]);
  const signOut = (event: MouseEvent<HTMLElement>): void => {
    // The browser would not close the menu: this button is removed before it could.
    event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
    const lost = unsaved();
    if (lost.length === 0) endSession();
    else setLosses(lost);
  };
  return (
    <>
      {!isSignedIn && (
        <button type="button" className="primary" onClick={requestSignIn}>
          {shellTexts.signIn}
        </button>
      )}
      <button type="button" className="ghost" popoverTarget={popover} aria-label={shellTexts.account}>
        <Icon name="user" />
      </button>
      <div id={popover} popover="auto" className="menu">
        {caller !== undefined && (
          <p className="stack tight">
            <span className="muted small">{shellTexts.signedInAs}</span>
            <strong>{caller.label}</strong>
            {caller.did !== undefined && <DidText id={caller.did} canCopy />}
          </p>
        )}
        <div className="stack tight">
          <button type="button" popoverTarget={popover} popoverTargetAction="hide" onClick={requestSignIn}>
            {isSignedIn ? shellTexts.changeKeys : shellTexts.signIn}
          </button>
          {isSignedIn && (
            <button type="button" onClick={signOut}>
              {shellTexts.signOut}
            </button>
          )}
        </div>
        <fieldset className="choices">
          <legend>{shellTexts.theme}</legend>
          {themes.map((choice) => (
            <label key={choice}>
              <input
                type="radio"
                name="theme"
                checked={theme === choice}
                onChange={() => {
                  setTheme(choice);
                  saveTheme(choice);
                }}
              />
              {shellTexts.themes[choice]}
            </label>
          ))}
        </fieldset>
      </div>
      {losses.length > 0 && (
        <ConfirmDialog
          title={shellTexts.signOutTitle}
          effect={
            <div className="stack tight">
              {[...losses, shellTexts.signOutEffect].map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
          }
          action={shellTexts.signOutAction}
          onConfirm={async () => endSession()}
          onClose={() => setLosses([])}
        />
      )}
    </>
  );
}
