/**
 * Asks before what somebody has typed is lost: by the browser's own question when the page is closed or reloaded, by a dialog when
 * a link or the back button leads to another address of the console, and when somebody signs out.
 */
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Dialog, LossQuestion } from "./dialog.tsx";

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

/** What the user would lose by leaving the page now, each in a sentence. While there is any, closing the tab asks first. */
interface Held {
  readonly loss: string;
  /** It continues in the background, as an import does. */
  readonly isWork: boolean;
}

const held = new Set<Held>();
const askBeforeClosing = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Returns a function that ends it. */
export function holdUnsaved(loss: string, isWork = false): () => void {
  const entry: Held = { loss, isWork };
  held.add(entry);
  addEventListener("beforeunload", askBeforeClosing);
  return () => {
    held.delete(entry);
    if (held.size === 0) removeEventListener("beforeunload", askBeforeClosing);
  };
}

export function unsaved(): readonly string[] {
  return [...new Set([...held].map(({ loss }) => loss))];
}

/** Whether something runs that needs no waiting here. */
export function isWorking(): boolean {
  return [...held].some(({ isWork }) => isWork);
}
