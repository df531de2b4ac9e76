/** What the framework declares and does not have yet; gone before the plugins that need it are done. */
function missing(): never {
  throw new Error("not wired yet");
}

export const unwired: () => never = missing;
