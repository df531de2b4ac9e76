/** Whether changes of others arrive by themselves, in words; and a banner once they have not for a few seconds. */
import { useEffect, useState } from "react";
import { useLive, type Live } from "../live/live-changes.tsx";
import { shellTexts } from "../texts/shell.ts";
import { clockWords } from "../texts/time.ts";

/** Milliseconds: an interruption that is shorter needs no banner. */
const BANNER_AFTER = 3_000;

export function LiveState() {
  const { status, asOf } = useLive();
  const since = asOf === undefined ? undefined : clockWords(new Date(asOf));
  const texts = shellTexts.live[nameOf(status, asOf)];
  const word = texts.word(since);
  return (
    <>
      <span className={`live-state ${status}`} role="img" aria-label={texts.text(since)} title={texts.text(since)}>
        <span />
        {word !== "" && <strong>{word}</strong>}
      </span>
      <Banner text={isInterrupted(status, asOf) ? texts.text(since) : undefined} />
    </>
  );
}

/** A page that was live is connected again. */
function nameOf(status: Live["status"], asOf: number | undefined): keyof typeof shellTexts.live {
  return status === "connecting" && asOf !== undefined ? "waiting" : status;
}

function isInterrupted(status: Live["status"], asOf: number | undefined): boolean {
  return status === "offline" || status === "waiting" || (status === "connecting" && asOf !== undefined);
}

function Banner({ text }: { readonly text: string | undefined }) {
  const isNeeded = text !== undefined;
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    if (!isNeeded) return;
    const timer = setTimeout(() => setIsDue(true), BANNER_AFTER);
    return () => {
      clearTimeout(timer);
      setIsDue(false);
    };
  }, [isNeeded]);
  return (
    <div role="status" className="live-banner">
      {isNeeded && isDue && <p>{text}</p>}
    </div>
  );
}
