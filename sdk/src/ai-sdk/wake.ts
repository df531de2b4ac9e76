/** When a page is back: it became visible, was taken out of the cache, or came online. Nothing outside a browser. */
export function onWake(listener: () => void): () => void {
  const { window, document } = globalThis as { readonly window?: EventTarget; readonly document?: EventTarget };
  const events = [
    [window, "online"],
    [window, "pageshow"],
    [document, "visibilitychange"],
  ] as const;
  for (const [target, name] of events) target?.addEventListener(name, listener);
  return () => {
    for (const [target, name] of events) target?.removeEventListener(name, listener);
  };
}
