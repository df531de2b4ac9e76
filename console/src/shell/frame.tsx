/** The frame: navigation at the side (behind a button on a narrow screen), a bar with search and account, and the screen. */
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { Icon } from "../kit/icon.tsx";
import { ScreenBoundary } from "../kit/screen-boundary.tsx";
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
  const [, screen = ""] = location.split("/");
  useNewScreen(screen, () => {
    setIsMenuOpen(false);
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
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
          {shellTexts.product}
          {environment !== "production" && (
            <span className="badge neutral" title={shellTexts.environment(environment)}>
              {environment}
            </span>
          )}
        </span>
        <PaletteButton />
        <LiveState />
        <AccountMenu />
      </header>
      <div id="navigation" className={isMenuOpen ? "side open" : "side"}>
        <Navigation onFollowed={() => setIsMenuOpen(false)} />
      </div>
      <main id="main" ref={main} tabIndex={-1}>
        <ScreenBoundary resetKey={location}>{children}</ScreenBoundary>
      </main>
    </div>
  );
}

/** Calls back when another screen is opened, but not for the first one. */
function useNewScreen(screen: string, onNew: () => void): void {
  const shown = useRef(screen);
  useEffect(() => {
    if (shown.current === screen) return;
    shown.current = screen;
    onNew();
  });
}
