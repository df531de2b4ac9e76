/** The names of the known types of domains, in the order by which lists are sorted. */
const typeNames: Readonly<Record<string, string>> = {
  asset: "Asset",
  "asset/collection": "Asset: collection",
  "asset/device": "Asset: device",
  "asset/impactcredit": "Asset: impact credits",
  dao: "DAO",
  deed: "Deed",
  "deed/offer": "Deed: offer",
  "deed/request": "Deed: request",
  device: "Device",
  investment: "Investment",
  oracle: "Oracle",
  "oracle/evaluation": "Oracle: evaluation",
  organisation: "Organisation",
  organization: "Organisation",
  project: "Project",
  protocol: "Protocol",
  "protocol/asset": "Protocol: asset",
  "protocol/claim": "Protocol: claim",
  "protocol/dao": "Protocol: DAO",
  "protocol/deed": "Protocol: deed",
  "protocol/oracle": "Protocol: oracle",
  "protocol/project": "Protocol: project",
  request: "Request",
};

/** The name of a type, in any spelling that the registry treats as equal; an unknown type itself. */
export function typeName(type: string): string {
  const key = type.toLowerCase();
  return (Object.hasOwn(typeNames, key) && typeNames[key]) || type;
}
