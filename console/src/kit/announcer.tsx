/**
 * Announces an event: for some seconds at the foot of the page, and to screen readers. The message stays if the screen changes
 * automatically, as after a form is saved. It disappears when the user then opens another screen.
 */
import { createContext, useCallback, useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";

/** `screen-readers`: the screen already shows it, and the message would only cover it. */
type Audience = "everybody" | "screen-readers";
type Announce = (text: string, audience?: Audience) => void;

const AnnounceContext = createContext<Announce>(() => undefined);

export function useAnnounce(): Announce {
  return useContext(AnnounceContext);
}

/** Milliseconds: long enough to read a sentence. */
const SHOWN = 6_000;
/** A screen reader may activate an element without a pointer or a key, with a click only. */
const acts = ["click", "keydown", "popstate"] as const;

export function Announcer({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState<{ readonly text: string; readonly at: number; readonly audience: Audience }>();
  /** Whether the user has acted since the message appeared. */
  const isOld = useRef(false);
  const [address] = useLocation();
  const announce = useCallback<Announce>((text, audience = "everybody") => {
    isOld.current = false;
    setSaid({ text, at: Date.now(), audience });
  }, []);
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), SHOWN);
    const act = (): void => {
      isOld.current = true;
    };
    for (const name of acts) addEventListener(name, act, true);
    return () => {
      clearTimeout(timer);
      for (const name of acts) removeEventListener(name, act, true);
    };
  }, [said]);
  useEffect(() => {
    if (isOld.current) setSaid(undefined);
  }, [address]);
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className="announcer" role="status" aria-live="polite">
        {said !== undefined && (
          <p className={said.audience === "everybody" ? undefined : "hidden-visually"}>{said.text}</p>
        )}
      </div>
    </AnnounceContext>
  );
}
