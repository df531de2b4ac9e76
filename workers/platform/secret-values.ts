/**
 * Values of secret variables, to be taken out of a text that is about to leave: a plugin or a library may have put one into an
 * error or a result. No replacement for care: it finds values as they are set and in the encodings below.
 */

/** Shorter values are no secrets worth the name, and would be found in any text, characters. */
export const LEAST_SECRET_LENGTH = 12;

const SECRET_NAME =
  /(?:^|_)(?:SECRET|TOKEN|KEYS?|APIKEY|SEED|MNEMONIC|PASSWORD|PASSPHRASE|CREDENTIALS?|HEADERS)(?:_|$)/;

const redactions = new WeakMap<object, (text: string) => string>();

/** The text with `[NAME]` in place of every secret of the environment. */
export function withoutSecrets(env: object, text: string): string {
  let redact = redactions.get(env);
  if (redact === undefined) redactions.set(env, (redact = redactionOf(env)));
  return redact(text);
}

function redactionOf(env: object): (text: string) => string {
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== "string" || !SECRET_NAME.test(name)) continue;
    for (const secret of secretsIn(value)) for (const form of formsOf(secret)) names.set(form, name);
  }
  // The longest first: a secret may contain another one.
  const forms = [...names.keys()].toSorted((one, other) => other.length - one.length);
  return (text) =>
    forms.reduce((left, form) => (left.includes(form) ? left.replaceAll(form, `[${names.get(form)}]`) : left), text);
}

/** The value; of a JSON value the texts in it, but no DIDs, which are public. */
function secretsIn(value: string): readonly string[] {
  const texts: string[] = [value];
  try {
    JSON.parse(value, (_, member: unknown) => {
      if (typeof member === "string") texts.push(member);
      return member;
    });
  } catch {
    // No JSON: the value is the secret.
  }
  return texts.filter((text) => text.length >= LEAST_SECRET_LENGTH && !text.startsWith("did:"));
}

/** As it is, in JSON, in a URL, in base64 and in hexadecimal digits. */
function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(String.fromCharCode(...bytes)).replace(/=+$/, "");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
    [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
  ];
}
