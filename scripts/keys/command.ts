/** What `npm run keys` can do; `arguments.ts` reads it from a command line, `run-keys.ts` does it. */

export type Command =
  | {
      readonly kind: "create";
      readonly label: string;
      /** None: a fresh did:key is made. */
      readonly did: string | undefined;
      readonly scopes: readonly string[];
      readonly role: string | undefined;
      readonly expiresAt: string | undefined;
    }
  | { readonly kind: "list"; readonly did: string | undefined; readonly state: string | undefined }
  | { readonly kind: "rotate"; readonly keyId: string; readonly overlapSeconds: number | undefined }
  | { readonly kind: "revoke"; readonly keyId: string };

export interface KeysOptions {
  readonly command: Command;
  /** Without a trailing slash. */
  readonly url: string;
  readonly json: boolean;
  readonly tokenFromInput: boolean;
}
