/**
 * Asks before what somebody has typed is lost: by the browser's own question when the page is closed or reloaded, by a dialog when
 * a link or the back button leads to another address of the console, and when somebody signs out.
 */
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Dialog, LossQuestion } from "./dialog.tsx";
import { holdUnsaved } from "./unsaved.ts";

/** Where somebody was about to go: back or forward in the history, or to an address. */
type Destination = { readonly key: string } | { readonly url: string };

const BASE = "/console";

export interface LeaveGuardProps {
  readonly isDirty: boolean;
  /** What is lost then, in a sentence. */
  readonly loss: string;
  /** Nothing is lost at this address of the console and at those below it, such as `/phone`. */
  readonly within?: string;
}

export function LeaveGuard({ isDirty, loss, within }: LeaveGuardProps) {
  const [, navigate] = useLocation();
  const [wanted, setWanted] = useState<Destination>();
  const isLeaving = useRef(false);

  // Browsers without the Navigation API ask only when the page is closed.
  useEffect(() => (isDirty ? holdUnsaved(loss) : undefined), [isDirty, loss]);
  useEffect(() => {
    if (!isDirty) return;
    isLeaving.current = false;
    const hold = (event: NavigateEvent): void => {
      const { url, key } = event.destination;
      const { pathname } = new URL(url);
      const isSamePage = pathname === location.pathname || isWithin(pathname, within);
      if (isLeaving.current || isSamePage || !event.cancelable || !event.destination.sameDocument) return;
      event.preventDefault();
      setWanted(event.navigationType === "traverse" ? { key } : { url });
    };
    const history = "navigation" in window ? window.navigation : undefined;
    history?.addEventListener("navigate", hold);
    return () => history?.removeEventListener("navigate", hold);
  }, [isDirty, within]);

  if (wanted === undefined) return null;
  const stay = (): void => setWanted(undefined);
  const leave = (): void => {
    isLeaving.current = true;
    stay();
    if ("key" in wanted) window.navigation.traverseTo(wanted.key);
    else navigate(wanted.url.slice(location.origin.length + BASE.length) || "/");
  };
  return (
    <Dialog title="Leave without saving?" onClose={stay} className="confirm">
      <LossQuestion loss={loss} onStay={stay} onLeave={leave} />
    </Dialog>
  );
}

function isWithin(pathname: string, within: string | undefined): boolean {
  return within !== undefined && `${pathname}/`.startsWith(`${BASE}${within}/`);
}
