/** A short name for the browser of a session, such as `Chrome on Linux`, so that its owner recognises it. */

const browsers = [
  [/\bEdg\//, "Edge"],
  [/\bFirefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const systems = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

export function deviceOf(userAgent: string | null): string {
  const named = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1];
  return `${named(browsers) ?? "Unknown browser"} on ${named(systems) ?? "unknown system"}`;
}
