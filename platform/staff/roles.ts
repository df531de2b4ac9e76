/**
 * The roles of staff, and the one table of what each role can call. Every surface asks `mayCall` before it accepts a
 * staff session, and docs/reference/roles.md is generated from this file. An operation that the table does not list is
 * closed to staff sessions; API keys and the operators' tokens do not depend on it.
 */

export const staffRoles = ["viewer", "support", "operator", "programme", "compliance", "administrator"] as const;
export type StaffRole = (typeof staffRoles)[number];

export const roleSummaries: Readonly<Record<StaffRole, string>> = {
  viewer: "Reads domains, proposals, votes and statistics.",
  support: "Helps phone customers: unlocks accounts, resets PINs and links phones.",
  operator: "Runs the deployment: imports, webhooks and all domains.",
  programme: "Represents the programme: edits its domains, proposes and votes.",
  compliance: "Proposes and votes, and reads the voter roll.",
  administrator: "Manages staff, API keys and the voter roll, and can do everything except propose and vote.",
};

const everyone = staffRoles;
const editors = ["operator", "programme", "administrator"] as const;
const operators = ["operator", "administrator"] as const;
const representatives = ["programme", "compliance"] as const;
const rollReaders = ["operator", "programme", "compliance", "administrator"] as const;
const phoneSupport = ["support", "administrator"] as const;
const sessionReaders = ["support", "operator", "administrator"] as const;
const auditors = ["compliance", "administrator"] as const;
const administrators = ["administrator"] as const;

/** Which roles can call an operation; the operations have the ids of the OpenAPI documents. */
export const operationRoles: Readonly<Record<string, readonly StaffRole[]>> = {
  // Registry: domains.
  createDomain: editors,
  getDomain: everyone,
  updateDomain: editors,
  deactivateDomain: editors,
  listDomains: everyone,
  exportDomains: everyone,
  getDomainDocument: everyone,
  putDocumentItem: editors,
  deleteDocumentItem: editors,
  listDomainTypes: everyone,
  getDomainMarkdown: everyone,
  putDomainMarkdown: editors,
  postDomainMarkdown: editors,
  listHistory: everyone,
  getHistoricVersion: everyone,
  getCompositeDomain: everyone,
  getDomainCard: everyone,
  getService: everyone,
  switchService: editors,
  listLabels: everyone,
  listChanges: everyone,
  resolveDid: everyone,
  // Registry: verification.
  createProposal: representatives,
  withdrawProposal: representatives,
  castVote: representatives,
  getProposal: everyone,
  listProposals: everyone,
  listDomainProposals: everyone,
  getVerificationRules: everyone,
  getEligibility: everyone,
  listVotes: everyone,
  getOwnVote: everyone,
  listOwnVotes: everyone,
  // Registry: the voter roll.
  listVoters: rollReaders,
  getVoter: rollReaders,
  listVoterChanges: rollReaders,
  putVoter: administrators,
  deleteVoter: administrators,
  // Registry: bulk work and webhooks.
  importDomains: operators,
  listImports: operators,
  getImport: operators,
  createWebhook: operators,
  listWebhooks: operators,
  getWebhook: operators,
  updateWebhook: operators,
  deleteWebhook: operators,
  rotateWebhookSecret: operators,
  listWebhookDeliveries: operators,
  pingWebhook: operators,
  replayWebhookDelivery: operators,
  replayWebhookDeadLetters: operators,
  // Registry: API keys.
  createApiKey: administrators,
  listApiKeys: operators,
  getApiKey: operators,
  revokeApiKey: administrators,
  rotateApiKey: administrators,
  // Phone gateway.
  unlockCustomer: phoneSupport,
  linkPhone: phoneSupport,
  resetPin: phoneSupport,
  linkDid: phoneSupport,
  rotateKeys: administrators,
  exportPerson: phoneSupport,
  erasePerson: administrators,
  listErasedPeople: administrators,
  addErasedPeople: administrators,
  reapplyErasures: administrators,
  readUssdStatistics: everyone,
  readUssdMetrics: everyone,
  listActiveSessions: sessionReaders,
  debugSession: sessionReaders,
  // Metrics.
  readMetrics: everyone,
  readHourlyMetrics: everyone,
  // Staff.
  getCurrentStaff: everyone,
  signOutStaff: everyone,
  listStaffSessions: everyone,
  endStaffSession: everyone,
  endAllStaffSessions: everyone,
  listStaff: administrators,
  inviteStaff: administrators,
  inviteStaffAgain: administrators,
  updateStaff: administrators,
  // The audit log.
  listAudit: auditors,
  exportAudit: auditors,
  // Backups.
  beginBackup: administrators,
  readBackupRows: administrators,
  listBackupObjects: administrators,
  readBackupObjects: administrators,
  beginRestore: administrators,
  restoreRows: administrators,
  restoreObjects: administrators,
  endRestore: administrators,
};

export function isStaffRole(text: string): text is StaffRole {
  return staffRoles.some((role) => role === text);
}

export function mayCall(role: StaffRole, operation: string): boolean {
  return rolesOf(operation).includes(role);
}

/** Empty if the operation is closed to staff sessions. */
export function rolesOf(operation: string): readonly StaffRole[] {
  return Object.hasOwn(operationRoles, operation) ? (operationRoles[operation] ?? []) : [];
}

/** The operations of a role, in the order of the table. */
export function operationsOf(role: StaffRole): readonly string[] {
  return Object.keys(operationRoles).filter((operation) => mayCall(role, operation));
}
