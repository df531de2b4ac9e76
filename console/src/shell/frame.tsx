/** The frame: navigation at the side (behind a button on a narrow screen), a bar with search and account, and the screen. */
import { type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { Link, useLocation } from "wouter";
import { tabStorage } from "../api/api.ts";
import { isBlocked } from "../api/page-storage.ts";
import { Icon } from "../kit/icon.tsx";
import { FailedScreen } from "../kit/lazy-part.tsx";
import { useSignInRequest } from "../kit/loaded.tsx";
import { DidText } from "../kit/person.tsx";
import { type Live, useLive } from "../live/live-changes.tsx";
import { useCaller, useCredentials, useHasLostKeys, useKeyEnd } from "../session/use-caller.ts";
import { shellTexts } from "../texts/shell.ts";
import { clockWords } from "../texts/time.ts";
import { usePageSettings } from "./page-settings-context.ts";
import { PaletteButton } from "./palette.tsx";
import { screenLinks } from "./screen-links.ts";
import { SignOutDialog } from "./sign-out-dialog.tsx";
import { readTheme, saveTheme, themes } from "./theme.ts";

const themesTexts = { system: "System", light: "Light", dark: "Dark" };

export function Frame({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const { environment } = usePageSettings();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useNewPage(pageOf(location), (isBack) => {
    setIsMenuOpen(false);
    // An element that the new page has focused keeps the focus.
    if (main.current?.contains(document.activeElement) !== true) main.current?.focus({ preventScroll: true });
    // The browser itself restores the scroll position.
    if (!isBack) window.scrollTo(0, 0);
  });
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <button
          type="button"
          className="ghost menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          aria-label="Menu"
          onClick={() => setIsMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? "close" : "menu"} />
        </button>
        <span className="brand">
          <Link href="/">
            <BrandMark />
            <span>{shellTexts.product}</span>
          </Link>
          {environment !== "production" && (
            <span className="badge neutral" title={`Environment: ${environment}`}>
              {environment}
            </span>
          )}
        </span>
        <PaletteButton />
        <div className="bar-end">
          <LiveState />
          <AccountMenu />
        </div>
      </header>
      <PageNotice />
      <div id="navigation" className={isMenuOpen ? "side open" : "side"}>
        <Navigation onFollowed={() => setIsMenuOpen(false)} />
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary resetKeys={[location]} FallbackComponent={FailedScreen}>
          {children}
        </ErrorBoundary>
      </main>
    </div>
  );
}

/** Two rings that touch: a thing and its twin, like the page's icon in index.html. */
function BrandMark() {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <circle cx="12.5" cy="16" r="6.5" />
      <circle cx="19.5" cy="16" r="6.5" />
    </svg>
  );
}

/** The chat is one page: its conversations change while the message field stays. */
function pageOf(path: string): string {
  return path.startsWith("/chat") ? "/chat" : path;
}

/** Calls back when another page is opened, with whether it was by the back or forward button; not for the first page. */
function useNewPage(page: string, onNew: (isBack: boolean) => void): void {
  const shown = useRef(page);
  const isBack = useRef(false);
  useEffect(() => {
    const back = (): void => {
      isBack.current = true;
    };
    addEventListener("popstate", back, true);
    return () => removeEventListener("popstate", back, true);
  }, []);
  useEffect(() => {
    if (shown.current !== page) onNew(isBack.current);
    shown.current = page;
    isBack.current = false;
  });
}

/** The links to the screens; those of surfaces that this host does not serve are omitted. */
function Navigation({ onFollowed }: { readonly onFollowed: () => void }) {
  const [location] = useLocation();
  const { surfaces } = usePageSettings();
  const [, current = ""] = location.split("/");
  return (
    <nav aria-label="Main">
      <ul>
        {screenLinks
          .filter(({ surface }) => surface === undefined || surfaces.includes(surface))
          .map(({ name, href, icon }) => (
            <li key={name}>
              <Link href={href} aria-current={href === `/${current}` ? "page" : undefined} onClick={onFollowed}>
                <Icon name={icon} />
                {shellTexts.screens[name]}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** Milliseconds: a shorter interruption needs no notice. */
const NOTICE_AFTER = 3_000;

/** Whether other users' changes arrive automatically, in words. */
function LiveState() {
  const { status, word, text } = useLiveWords();
  return (
    <span className={`live-state ${status}`} role="img" aria-label={text} title={text}>
      <span />
      {word !== "" && <strong>{word}</strong>}
    </span>
  );
}

function useLiveWords() {
  const { status, asOf } = useLive();
  const since = asOf === undefined ? undefined : clockWords(new Date(asOf));
  const texts = shellTexts.live[nameOf(status, asOf)];
  return { status, word: texts.word(since), text: texts.text(since), isInterrupted: isInterrupted(status, asOf) };
}

/** A page that was live and is now reconnecting. */
function nameOf(status: Live["status"], asOf: number | undefined): keyof typeof shellTexts.live {
  return status === "connecting" && asOf !== undefined ? "waiting" : status;
}

function isInterrupted(status: Live["status"], asOf: number | undefined): boolean {
  return status === "offline" || status === "waiting" || (status === "connecting" && asOf !== undefined);
}

/** The one notice about a problem of the whole page: in a separate row below the bar, so that it covers nothing. */
function PageNotice() {
  const keyEnd = useKeyEnd();
  const hasLostKeys = useHasLostKeys();
  const { text, isInterrupted: isNeeded } = useLiveWords();
  const isDue = useIsLasting(isNeeded);
  if (keyEnd !== undefined) return <SignInAgain text={shellTexts.keyEnd[keyEnd]} />;
  const isShown = isNeeded && isDue;
  if (hasLostKeys && !isShown)
    return <SignInAgain text={shellTexts.lostKeys[isBlocked(tabStorage) ? "blocked" : "late"]} />;
  return (
    <div role="status" className="page-notice">
      {isShown && <p>{text}</p>}
    </div>
  );
}

function SignInAgain({ text }: { readonly text: string }) {
  const requestSignIn = useSignInRequest();
  return (
    <div role="alert" className="page-notice">
      <p>
        <span>{text}</span>
        <button type="button" className="small" onClick={requestSignIn}>
          {shellTexts.signIn}
        </button>
      </p>
    </div>
  );
}

/** Whether a condition has lasted long enough to be shown. */
function useIsLasting(isSo: boolean): boolean {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (!isSo) return;
    const timer = setTimeout(() => setIsDue(true), NOTICE_AFTER);
    return () => {
      clearTimeout(timer);
      setIsDue(false);
    };
  }, [isSo]);
  return isDue;
}

/** The signed-in user, signing in and out, and the theme, in one menu. */
function AccountMenu() {
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
      <button type="button" className="ghost" popoverTarget={popover} aria-label="Account">
        <Icon name="user" />
      </button>
      <div id={popover} popover="auto" className="menu">
        {caller !== undefined && (
          <p className="stack tight">
            <span className="muted small">Signed in as</span>
            <strong>{caller.label}</strong>
            {caller.did !== undefined && <DidText id={caller.did} canCopy />}
          </p>
        )}
        <div className="stack tight">
          <button type="button" popoverTarget={popover} popoverTargetAction="hide" onClick={requestSignIn}>
            {isSignedIn ? "Change keys" : shellTexts.signIn}
          </button>
          {isSignedIn && (
            <button type="button" onClick={askToSignOut}>
              Sign out
            </button>
          )}
          <Link href="/staff">{shellTexts.staff}</Link>
        </div>
        <fieldset className="choices">
          <legend>Theme</legend>
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
              {themesTexts[choice]}
            </label>
          ))}
        </fieldset>
      </div>
      {isLeaving && <SignOutDialog onClose={() => setIsLeaving(false)} />}
    </>
  );
}
