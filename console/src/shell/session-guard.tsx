/**
 * Ends this tab's session when another tab signs out, and after 30 minutes without use of the console in any tab. A minute before
 * that, it asks. A running import counts as use.
 */
import { useEffect, useRef, useState } from "react";
import { Dialog } from "../kit/dialog.tsx";
import { isWorking } from "../kit/leave-guard.tsx";
import { useSignInRequest } from "../kit/loaded.tsx";
import { SESSION_CHANNEL, type SessionNews, endSession, tellOtherTabs } from "../session/sign-out.ts";
import { useCredentials } from "../session/use-caller.ts";
import { kitTexts } from "../texts/kit.ts";
import { shellTexts } from "../texts/shell.ts";

/** Milliseconds without use after which the keys are removed: people leave shared computers without signing out. */
const IDLE_LIMIT = 30 * 60_000;
/** Milliseconds before that at which it asks. */
const NOTICE = 60_000;
/** Milliseconds between two messages that report activity to the other tabs. */
const REPORT_GAP = 30_000;
const acts = ["pointerdown", "keydown", "wheel"] as const;

export function SessionGuard() {
  const isSignedIn = Object.keys(useCredentials()).length > 0;
  const requestSignIn = useSignInRequest();
  const [isAsking, setIsAsking] = useState(false);
  /** Why the session has ended; shown until the user reads it, however much later. */
  const [reason, setReason] = useState<string>();
  const usedAt = useRef(0);

  useEffect(() => {
    if (!isSignedIn) return;
    let reportedAt = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (said: string): void => {
      endSession();
      setReason(said);
    };
    const idle = (): number => Date.now() - usedAt.current;
    const look = (): void => {
      if (isWorking()) usedAt.current = Date.now();
      if (idle() >= IDLE_LIMIT) return end("You were signed out because this console was not used for 30 minutes.");
      setIsAsking(idle() >= IDLE_LIMIT - NOTICE);
      clearTimeout(timer);
      timer = setTimeout(look, (idle() < IDLE_LIMIT - NOTICE ? IDLE_LIMIT - NOTICE : IDLE_LIMIT) - idle());
    };
    const use = (): void => {
      // A computer that slept may receive input before the timer fires.
      if (idle() < IDLE_LIMIT) usedAt.current = Date.now();
      look();
    };
    const act = (): void => {
      // While the question is open, only its answer counts.
      if (idle() >= IDLE_LIMIT - NOTICE) return look();
      use();
      if (Date.now() - reportedAt < REPORT_GAP) return;
      reportedAt = Date.now();
      tellOtherTabs("in use");
    };
    const channel = new BroadcastChannel(SESSION_CHANNEL);
    channel.addEventListener("message", ({ data }: MessageEvent<SessionNews>) =>
      data === "signed out" ? end("You were signed out in another tab.") : use(),
    );
    usedAt.current = Date.now();
    look();
    for (const name of acts) addEventListener(name, act, { capture: true, passive: true });
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      channel.close();
      setIsAsking(false);
      for (const name of acts) removeEventListener(name, act, { capture: true });
      document.removeEventListener("visibilitychange", look);
    };
  }, [isSignedIn]);

  if (reason !== undefined && !isSignedIn) {
    const close = (): void => setReason(undefined);
    return (
      <Dialog title="You are signed out" onClose={close} className="confirm">
        <p>{reason}</p>
        <div className="row end wrap">
          <button type="button" onClick={close}>
            {kitTexts.close}
          </button>
          <button
            type="button"
            className="primary"
            onClick={() => {
              close();
              requestSignIn();
            }}
          >
            {shellTexts.signIn}
          </button>
        </div>
      </Dialog>
    );
  }
  if (!isAsking) return null;
  const stay = (): void => {
    usedAt.current = Date.now();
    setIsAsking(false);
    tellOtherTabs("in use");
  };
  return (
    <Dialog title="Are you still there?" onClose={stay} className="confirm">
      <p>
        This console has not been used for a while. You will be signed out in a minute, and unsaved changes will be
        lost.
      </p>
      <div className="row end">
        <button type="button" className="primary" autoFocus onClick={stay}>
          Stay signed in
        </button>
      </div>
    </Dialog>
  );
}
