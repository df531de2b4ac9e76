/** Text of a server for a terminal: nothing of it moves the cursor or changes a colour. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, "\uFFFD");
}
