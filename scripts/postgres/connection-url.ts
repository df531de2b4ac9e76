/** The URL of a PostgreSQL database in a command line. No message repeats it, because it contains a password. */

const SCHEMES = ["postgres:", "postgresql:"];

/** @throws Error with one sentence, for a text that is no such URL. */
export function postgresUrl(option: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || !SCHEMES.includes(url.protocol) || url.hostname === "")
    throw new Error(`${option} takes postgresql://USER:PASSWORD@HOST:PORT/DATABASE`);
  if (url.pathname.length < 2) throw new Error(`${option} needs the name of a database after the host: …/DATABASE`);
  if (url.username === "" || url.password === "") throw new Error(`${option} needs a user and a password in the URL`);
  return text;
}

/** The place without the password, for messages. */
export function placeOf(text: string): string {
  const { hostname, port, pathname } = new URL(text);
  return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}
