/** The application code that the examples of sdk/README.md rely on. Imported before them. */
import { createSigner } from "@twinedge/sdk/core";
import { createDelegation, createInvocation, pageSettings } from "./page-settings.ts";

const { oracleUrl, userDid } = pageSettings();
export const { oracleDid, sessionId } = pageSettings();

Object.assign(globalThis, {
  oracleUrl,
  oracleDid,
  sessionId,
  signer: await createSigner(),
  showPayment: () => undefined,
  user: {
    address: "ixo1",
    did: userDid,
    matrix: { accessToken: "", homeServer: "" },
    wallet: {
      signAndBroadcast: async () => undefined,
      signDelegation: createDelegation,
      signInvocation: createInvocation,
    },
  },
});
