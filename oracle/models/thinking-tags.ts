/**
 * Separates thinking that a model writes between `<think>` and `</think>` before its answer. It works on the text as it arrives,
 * however it is split.
 */
const OPENING = "<think>";
const CLOSING = "</think>";

export interface ThinkingTags {
  push(text: string): void;
  /** Returns text that was held back because it could have become a tag. */
  flush(): void;
}

export interface ThinkingSink {
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
}

export function createThinkingTags({ say, think }: ThinkingSink): ThinkingTags {
  let state: "before" | "thinking" | "answer" = "before";
  let held = "";
  /** Blanks between the thinking and the answer belong to neither. */
  let thought = false;

  function step(): boolean {
    if (state === "before") {
      const begun = held.trimStart();
      if (begun.startsWith(OPENING)) {
        held = begun.slice(OPENING.length);
        state = "thinking";
        thought = true;
        return true;
      }
      if (OPENING.startsWith(begun)) return false;
      say(thought ? begun : held);
      held = "";
      state = "answer";
      return false;
    }
    const end = held.indexOf(CLOSING);
    if (end >= 0) {
      think(held.slice(0, end));
      held = held.slice(end + CLOSING.length);
      state = "before";
      return true;
    }
    const kept = lengthOfBegunTag(held, CLOSING);
    think(held.slice(0, held.length - kept));
    held = held.slice(held.length - kept);
    return false;
  }

  return {
    push(text) {
      if (state === "answer") return say(text);
      held += text;
      while (step());
    },
    flush() {
      if (state === "thinking") think(held);
      // Blanks are an answer only when no thinking came before them.
      else if (!thought || held.trim() !== "") say(held);
      held = "";
    },
  };
}

/** How many characters at the end of the text could begin the tag. */
function lengthOfBegunTag(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
