/** The tables of staff and of the audit log (platform/stored-data.ts). */
import type { PersonalData, StoredData } from "../../platform/stored-data.ts";

function ofStaff(holds: string, why: string, kept: string): PersonalData {
  return { about: ["staff"], holds, why, kept, erased: "kept: the audit log must name who acted" };
}

export const staffData: StoredData = {
  place: "DATABASE",
  holdings: {
    staff: ofStaff("name, role and DID", "access to the console", "forever; disabled people stay"),
    staff_passkeys: ofStaff("public keys of passkeys", "sign-in", "until a new invitation is accepted"),
    staff_invitations: ofStaff("the digest of an invitation", "the first sign-in", "until a new invitation or its use"),
    staff_sessions: ofStaff(
      "browsers and times of sessions",
      "the list of sessions",
      "until a sign-in after their end",
    ),
    staff_used_challenges: "digests of used challenges, for five minutes",
    staff_challenge_key: "the key that signs challenges",
    audit_numbers: "the last number of the audit log",
    audit_rows: {
      about: ["staff", "registry user", "phone customer"],
      holds:
        "who changed something, from which network (an IPv4 address or IPv6 /64), on which record, before and after",
      why: "traceable acts",
      kept: "forever",
      erased: "kept: a chain of digests protects the log",
    },
    audit_seals: "digests of the audit log",
  },
};
