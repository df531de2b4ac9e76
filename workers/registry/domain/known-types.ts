/**
 * Domain types: the types that the platform knows, their meaning, and the key by which types are compared. The list is
 * open: other types are accepted.
 */
export interface KnownType {
  readonly type: string;
  /** Other spellings of the type, already in the form of a key. */
  readonly aliases: readonly string[];
  readonly description: string;
}

const known = (type: string, description: string, ...aliases: readonly string[]): KnownType => ({
  type,
  aliases,
  description,
});

export const knownTypes: readonly KnownType[] = [
  known("Organisation", "A legal or virtual entity, managed as a DAO", "organization"),
  known("Project", "An initiative, such as a clean-cooking project"),
  known("Asset", "An asset, such as an IoT-enabled cooking device"),
  known("Protocol", "A template with rules that domains of its class follow"),
  known("Oracle", "A service that evaluates claims or gives answers"),
  known("Request", "A request for a service or for funding"),
  known("Device", "A physical device that reports measurements"),
  known("dao", "A decentralised autonomous organisation"),
  known("investment", "An investment in a project or an asset"),
  known("deed", "An agreement between domains"),
  known("deed/offer", "An offer made under an agreement"),
  known("deed/request", "A request made under an agreement"),
  known("asset/device", "A device held as an asset"),
  known("asset/collection", "A collection of assets of one class"),
  known("asset/impactcredit", "Impact credits, such as carbon credits, held as an asset"),
  known("protocol/claim", "The protocol of a kind of claim"),
  known("protocol/deed", "The protocol of a kind of deed"),
  known("protocol/project", "The protocol of a kind of project"),
  known("protocol/asset", "The protocol of a kind of asset"),
  known("protocol/dao", "The protocol of a kind of DAO"),
  known("protocol/oracle", "The protocol of a kind of oracle"),
  known("oracle/evaluation", "An oracle that evaluates claims"),
];

const canonicalKeys: ReadonlyMap<string, string> = new Map(
  knownTypes.flatMap(({ type, aliases }) => aliases.map((alias): [string, string] => [alias, type.toLowerCase()])),
);

/** Two types are equal if their keys are equal: lower case in every locale, and one spelling for all aliases. */
export function typeKeyOf(type: string): string {
  const key = type.normalize("NFC").trim().toLowerCase();
  return canonicalKeys.get(key) ?? key;
}
