/** Whether a tool has returned that its user must sign in to its server: after a reload, the wire has no other sign of it. */
export function saysToSignIn(output: string, server: string): boolean {
  return output.includes(`sign in to ${server} first`);
}
