/** A fault that `npm run doctor` names, and its fix. Neither contains a value of a secret. */
export interface Finding {
  readonly fault: string;
  readonly fix: string;
}

export function describeFindings(findings: readonly Finding[]): string {
  return findings.map(({ fault, fix }, index) => `${index + 1}. ${fault}\n   Fix: ${fix}`).join("\n");
}
