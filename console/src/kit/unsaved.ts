/** What the user would lose by leaving the page now, each in a sentence. While there is any, closing the tab asks first. */
interface Held {
  readonly loss: string;
  /** It goes on by itself, as an import does. */
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

/** Whether something runs that nobody has to wait for here. */
export function isWorking(): boolean {
  return [...held].some(({ isWork }) => isWork);
}
