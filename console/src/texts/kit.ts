/** Words that all screens share. */

export const kitTexts = {
  loading: "Loading",
  retry: "Try again",
  close: "Close",
  cancel: "Cancel",
  before: "Before",
  after: "After",
  copied: "Copied",
  notCopied: "The browser did not let this page copy. Select the text and copy it yourself.",
  signIn: "Sign in",
  failed: (status: number) => `The server answered ${status} without a reason.`,
  needsKey: {
    apiKey: "This needs an API key of the registry",
    operatorToken: "This needs the operator's token",
    phoneOperatorToken: "This needs the phone operator's token",
    gatewaySecret: "This needs the secret of this deployment",
  },
  waitFor: (seconds: number) => `The server asks to wait ${seconds} s before the next attempt.`,
  previous: "Previous page",
  unexpected: "This screen failed. Reload the page; you stay signed in.",
  reload: "Reload",
};
