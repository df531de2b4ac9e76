/** The frame: navigation at the side (behind a button on a narrow screen), a bar with search and account, and the screen. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import { ErrorBoundary } from "react-error-boundary";
import { Link, useLocation } from "wouter";
import { Icon } from "../kit/icon.tsx";
import { FailedScreen } from "../kit/lazy-part.tsx";
import { shellTexts } from "../texts/shell.ts";
import { AccountMenu } from "./account-menu.tsx";
import { LiveState } from "./live-state.tsx";
import { Navigation } from "./navigation.tsx";
import { PaletteButton } from "./palette-commands.tsx";
import { usePageSettings } from "./page-settings-context.ts";

export function Frame({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation();
  const { environment } = usePageSettings();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  useNewPage(pageOf(location), (isBack) => {
    setIsMenuOpen(false);
    // What the new page has focused itself keeps the focus.
    if (main.current?.contains(document.activeElement) !== true) main.current?.focus({ preventScroll: true });
    // The browser itself goes back to where somebody was.
    if (!isBack) window.scrollTo(0, 0);
  });
  return (
    <div className="frame">
      <a className="skip" href="#main">
        {shellTexts.skip}
      </a>
      <header className="bar">
        <button
          type="button"
          className="ghost menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          aria-label={shellTexts.openMenu}
          onClick={() => setIsMenuOpen(!isMenuOpen)}
        >
          <Icon name={isMenuOpen ? "close" : "menu"} />
        </button>
        <span className="brand">
          <Link href="/">
            <BrandMark />
            {shellTexts.product}
          </Link>
          {environment !== "production" && (
            <span className="badge neutral" title={shellTexts.environment(environment)}>
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

/** Two rings that meet: a thing and its twin. The icon of the page in index.html is the same. */
function BrandMark() {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <circle cx="12.5" cy="16" r="6.5" />
      <circle cx="19.5" cy="16" r="6.5" />
    </svg>
  );
}

/** The chat is one page: its conversations change beside the field for the next message. */
function pageOf(path: string): string {
  return path.startsWith("/chat") ? "/chat" : path;
}

/** Calls back when another page is opened, with whether that was by the back or forward button; not for the first one. */
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
