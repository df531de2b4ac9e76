/** Copies a text. Browsers refuse it without a secure connection, or when somebody has forbidden it: then the answer is false. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
