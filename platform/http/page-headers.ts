/**
 * Headers of every page of this origin in addition to its own content security policy. Pages share the origin, and so
 * everything that a browser stores for it.
 */

/** Browser features that no page uses, so that injected code cannot use them either. */
const DENIED_FEATURES = [
  "accelerometer",
  "camera",
  "clipboard-read",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "screen-wake-lock",
  "serial",
  "usb",
  "xr-spatial-tracking",
];

/** Only the console asks for passkeys, to sign in staff. */
const PASSKEY_FEATURES = ["publickey-credentials-create", "publickey-credentials-get"];

export function pageHeaders(
  contentSecurityPolicy: string,
  { usesPasskeys = false }: { readonly usesPasskeys?: boolean } = {},
): Record<string, string> {
  const denied = usesPasskeys ? DENIED_FEATURES : [...DENIED_FEATURES, ...PASSKEY_FEATURES];
  return {
    "Content-Security-Policy": contentSecurityPolicy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": denied.map((feature) => `${feature}=()`).join(", "),
  };
}
