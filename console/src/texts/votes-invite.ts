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
  message: ({ name, power, did, key, ends, host, link }: InvitationFacts) =>
    `Hello ${name},

you are invited to vote in the registry of ${host}, with power ${grouped(power)}.

1. Open ${link}
2. Press "Sign in" and paste this API key: ${key}
3. Open a proposal that waits for your vote, and vote.

The key is yours alone. It speaks for ${did} and ends on ${ends}. Do not pass this message on.`,
};
