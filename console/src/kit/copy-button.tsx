/** Copies a text to the clipboard and confirms it. */
import { useEffect, useState } from "react";
import { kitTexts } from "../texts/kit.ts";
import { useAnnounce } from "./announcer.tsx";
import { Icon } from "./icon.tsx";
import { writeClipboard } from "./write-clipboard.ts";

/** Milliseconds that the button shows its confirmation. */
const SHOWN = 2_000;

export interface CopyButtonProps {
  /** A function is called when the button is pressed, for a text that is expensive to create. */
  readonly text: string | (() => string);
  /** The subject in the button's name; "Copy" by default. */
  readonly label?: string;
  /** Whether the label is shown next to the icon. */
  readonly showsLabel?: boolean;
}

export function CopyButton({ text, label = "Copy", showsLabel = false }: CopyButtonProps) {
  const announce = useAnnounce();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    const isDone = await writeClipboard(typeof text === "string" ? text : text());
    if (isDone) setIsCopied(true);
    else announce(kitTexts.notCopied);
  };
  return (
    <button type="button" className="ghost small" onClick={() => void copy()} aria-label={label} title={label}>
      <Icon name={isCopied ? "check" : "copy"} />
      {showsLabel && label}
      <span className="hidden-visually" role="status">
        {isCopied ? kitTexts.copied : ""}
      </span>
    </button>
  );
}
