/** Copies a text. Browsers refuse it without a secure connection, or if the user has forbidden it: then it resolves to false. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
