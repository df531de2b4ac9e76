/** Words of the dialog that invites a voter. */
import { grouped } from "./number.ts";

interface InvitationFacts {
  readonly name: string;
  readonly power: number;
  readonly did: string;
  readonly key: string;
  readonly ends: string;
  readonly host: string;
  readonly link: string;
}

export const inviteTexts = {
  title: "Invite a voter",
  lead: "Issues an API key that may read domains and vote, puts the voter on the roll, and writes a message for you to send.",
  whyOperator: "An invitation issues an API key, which only the operator's token (ADMIN_TOKEN) can do.",
  name: "Name",
  noName: "Enter a name.",
  didHint: "If they have a DID of their own. Otherwise a new one is made, which acts through the key alone.",
  action: "Invite",
  inviting: "Inviting…",
  loss: "Nobody has been invited yet. What you have entered is lost.",
  halfLoss:
    "The API key is issued, and the voter is not on the roll yet. If you stop now, revoke the key under Keys and webhooks.",
  readyTitle: (name: string) => `${name} can vote`,
  readyLead:
    "Send this message to them alone, by a channel that nobody else reads. It has their API key, which is shown only now.",
  messageLabel: "Message",
  copyMessage: "Copy the message",
  haveSent: "I have sent or stored the message.",
  sendFirst: "Copy the message first: the key in it is never shown again.",
  messageLoss: "The message with the voter's API key is lost.",
  invited: (name: string) => `${name} is on the roll of voters.`,
  message: ({ name, power, did, key, ends, host, link }: InvitationFacts) =>
    `Hello ${name},

you are invited to vote in the registry of ${host}, with power ${grouped(power)}.

1. Open ${link}
2. Press "Sign in" and paste this API key: ${key}
3. Open a proposal that waits for your vote, and vote.

The key is yours alone. It speaks for ${did} and ends on ${ends}. Do not pass this message on.`,
};
