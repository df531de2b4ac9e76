/**
 * In place of `@peculiar/x509` and `@peculiar/asn1-android` in the Worker (`alias` in wrangler.toml): @simplewebauthn/server
 * uses them to check the certificates of an attestation. Staff's passkeys ask for no attestation, so the Worker leaves out
 * the code, and a passkey that sends certificates anyway is refused.
 */
function Refused(): never {
  throw new Error("attestation certificates are not checked here");
}

export const id_ce_keyDescription = "";
export {
  Refused as AuthorityKeyIdentifierExtension,
  Refused as CRLDistributionPointsExtension,
  Refused as KeyDescription,
  Refused as SubjectKeyIdentifierExtension,
  Refused as X509Certificate,
  Refused as X509ChainBuilder,
  Refused as X509Crl,
};
