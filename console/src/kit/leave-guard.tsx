/**
 * Asks before entries are lost: with the browser's own question when the page is closed or reloaded, with a dialog when a link or
 * the back button leads to another address of the console, and when the user signs out.
 */
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Dialog, LossQuestion } from "./dialog.tsx";

/** The user's destination: back or forward in the history, or an address. */
type Destination = { readonly key: string } | { readonly url: string };

const BASE = "/console";

export interface LeaveGuardProps {
  readonly isDirty: boolean;
  /** What would be lost, as a sentence. */
  readonly loss: string;
  /** Nothing is lost at this address of the console and below it, such as `/phone`. */
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

/** What leaving the page would lose now, each as a sentence. While there is any such sentence, closing the tab asks first. */
interface Held {
  readonly loss: string;
  /** The work continues in the background, such as an import. */
  readonly isWork: boolean;
}

const held = new Set<Held>();
const askBeforeClosing = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Returns a function that removes it. */
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

/** Whether work is running in the background. */
export function isWorking(): boolean {
  return [...held].some(({ isWork }) => isWork);
}
