/** Which of the first steps are done in this registry. */
import { apiHooks } from "../api/api.ts";
import { useCredentials } from "../session/use-credentials.ts";

export interface Progress {
  readonly hasDomains: boolean;
  readonly hasVoters: boolean;
  readonly hasVerified: boolean;
  readonly isKnown: boolean;
  /** The domain that the later steps are about: the newest verified one, else the newest. */
  readonly domain: string | undefined;
}

export function useProgress(): Progress {
  const enabled = useCredentials().apiKey !== undefined;
  const any = { params: { query: { limit: 1, sort: "-createdAt" as const } } };
  const verified = { params: { query: { ...any.params.query, verificationStatus: ["Verified" as const] } } };
  const domains = apiHooks.useQuery("get", "/v1/domains", any, { enabled });
  const done = apiHooks.useQuery("get", "/v1/domains", verified, { enabled });
  const rules = apiHooks.useQuery("get", "/v1/verification-rules", {}, { enabled });
  return {
    hasDomains: (domains.data?.data.length ?? 0) > 0,
    hasVerified: (done.data?.data.length ?? 0) > 0,
    hasVoters: (rules.data?.voterCount ?? 0) > 0,
    domain: (done.data?.data[0] ?? domains.data?.data[0])?.id,
    isKnown: domains.data !== undefined && done.data !== undefined && rules.data !== undefined,
  };
}
