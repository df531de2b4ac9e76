/** Words of the guide that leads a caller to a record. */
type Option = readonly [key: string, label: string];

export const phoneGuideTexts = {
  title: (name: string) => `Look up ${name}`,
  lead: "The line below the phone's display says what to send at each screen.",
  numberName: "Its number on the phone",
  numberHint: "The end of its DID, in small or capital letters",
  way: [
    "Callers need an account: make one with a name and a PIN of five digits.",
    "Log in with the Customer ID that the phone then shows, and the PIN.",
    "Under Services, check a record's status by its number.",
  ],
  ask: "Ask the oracle about it",
  domain: "Open the domain",
  close: "Close",
  play: "Or let the phone do it",
  playTitle: "The phone presses the keys",
  playLead: "It makes a new account with the PIN that you choose, logs in and looks the record up.",
  /** Of the account that it makes. */
  playedName: "Ada Newcomer",

  dial: "Press Dial.",
  dialAgain: "The call has ended. Press Dial to call again.",
  key: (key: string, label: string) => `Send ${key}: ${label}.`,
  account: ([create, createLabel]: Option, [logIn]: Option) =>
    `Send ${create}: ${createLabel}. Who has a Customer ID sends ${logIn}.`,
  name: "Send a name, such as Ada.",
  email: "Send 00: no email address is needed.",
  newPin: "Make up a PIN of five digits and send it.",
  samePin: "Send the same PIN again.",
  created: (customerId: string, key: string) => `${customerId} is your Customer ID. Send ${key}, then log in with it.`,
  customerId: (customerId: string | undefined) =>
    customerId === undefined
      ? "Send your Customer ID: C and nine more characters."
      : `Send your Customer ID: ${customerId}.`,
  pin: "Send your PIN.",
  number: (number: string) => `Send the record's number: ${number}.`,
  found: "This is what callers see of it. Send * to end the call.",
  fill: (typed: string) => `Type ${typed}`,
};
