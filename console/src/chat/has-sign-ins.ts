/** Whether the host has a list of sign-ins: without a server that needs one there is none, and asking for it is an error. */

/** What `GET /health` says of the plugins, as far as it tells whether a server needs a sign-in. */
export interface KnownPlugins {
  readonly loaded?: readonly string[];
  readonly health?: { readonly mcp?: { readonly servers?: readonly { readonly auth?: string }[] } };
}

export function hasSignIns({ loaded = [], health }: KnownPlugins = {}): boolean {
  // Not there if the plugin took too long to say.
  const servers = health?.mcp?.servers;
  return loaded.includes("mcp") && (servers === undefined || servers.some(({ auth }) => auth === "oauth"));
}
