/** Reads the domain that somebody came from: its name and its state. */
import { apiHooks } from "../api/api.ts";
import type { AboutDomain } from "./suggested.ts";

/** undefined while the registry is asked, so that nothing is suggested that its state contradicts. */
export function useAboutDomain(did: string | undefined): AboutDomain | undefined {
  const { data, isPending } = apiHooks.useQuery(
    "get",
    "/v1/domains/{id}",
    { params: { path: { id: did ?? "" } } },
    { enabled: did !== undefined },
  );
  if (did === undefined || (data === undefined && isPending)) return undefined;
  if (data === undefined) return { did };
  return { did, name: data.name ?? undefined, isVerified: data.verificationStatus === "Verified" };
}
