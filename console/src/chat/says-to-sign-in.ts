/** Whether a tool has returned that its user has to sign in to its server: the wire has no other sign of it after a reload. */
export function saysToSignIn(output: string, server: string): boolean {
  return output.includes(`sign in to ${server} first`);
}
