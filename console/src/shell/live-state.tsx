/** A dot that says whether changes of others arrive by themselves, with the reason in words when they do not. */
import { useLive } from "../live/live-changes.tsx";
import { shellTexts } from "../texts/shell.ts";

export function LiveState() {
  const { status } = useLive();
  const text = shellTexts.live[status];
  return (
    <span className={`live-state ${status}`} role="img" aria-label={text} title={text}>
      <span />
    </span>
  );
}
