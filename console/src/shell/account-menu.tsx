/** Who is signed in, signing in and out, and the theme, behind one button. */
import { useId, useState, type MouseEvent } from "react";
import { DidText } from "../kit/did-text.tsx";
import { Icon } from "../kit/icon.tsx";
import { useSignInRequest } from "../kit/sign-in-request.ts";
import { useCaller } from "../session/use-caller.ts";
import { useCredentials } from "../session/use-credentials.ts";
import { shellTexts } from "../texts/shell.ts";
import { SignOutDialog } from "./sign-out-dialog.tsx";
import { readTheme, saveTheme, themes } from "./theme.ts";

export function AccountMenu() {
  const popover = useId();
  const { data: caller } = useCaller();
  const isSignedIn = Object.keys(useCredentials()).length > 0;
  const requestSignIn = useSignInRequest();
  const [theme, setTheme] = useState(readTheme);
  const [isLeaving, setIsLeaving] = useState(false);
  const askToSignOut = (event: MouseEvent<HTMLElement>): void => {
    event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
    setIsLeaving(true);
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
            <button type="button" onClick={askToSignOut}>
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
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </>
  );
}
