/**
 * The addresses that webhooks can use: only hosts that the operator has named, so that users cannot make the registry
 * call into other networks (SSRF). A private address is treated like any host: it must be named exactly.
 */
import { failure, success, type Result } from "../../../platform/result.ts";

/** Characters. */
export const LONGEST_URL = 2_048;

export interface AddressRule {
  /** REGISTRY_WEBHOOK_HOSTS: `host` for the scheme's default port, `host:port` for another port. */
  readonly hosts: readonly string[];
  /** Plain HTTP is for development machines. */
  readonly allowsHttp: boolean;
}

export function addressRuleOf(config: {
  readonly REGISTRY_WEBHOOK_HOSTS: readonly string[];
  readonly ENVIRONMENT: string;
}): AddressRule {
  return { hosts: config.REGISTRY_WEBHOOK_HOSTS, allowsHttp: config.ENVIRONMENT === "development" };
}

/** The address to call, or why it is refused. Names are compared in the normalised form of the URL standard. */
export function webhookAddress(text: string, { hosts, allowsHttp }: AddressRule): Result<URL, string> {
  if (text.length > LONGEST_URL) return failure(`may have at most ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^[a-z]+:\/\//i.test(text))
    return failure("must be an absolute URL such as https://host/path");
  if (url.protocol !== "https:" && !(allowsHttp && url.protocol === "http:"))
    return failure("must be an https address");
  if (url.username !== "" || url.password !== "") return failure("must not contain a user name or a password");
  if (url.hash !== "") return failure("must not have a fragment");
  if (!isWrittenOut(url, text)) return failure(`must name its host as ${url.hostname}`);
  if (!hosts.includes(url.host)) return failure("must lead to a host that REGISTRY_WEBHOOK_HOSTS names");
  return success(url);
}

/** The URL standard reads 2130706433 and 0x7f.1 as 127.0.0.1. An IPv4 address must be written as four numbers. */
function isWrittenOut({ hostname }: URL, text: string): boolean {
  const [, written = ""] = /^[a-z]+:\/\/([^/?#:]*)/i.exec(text) ?? [];
  return !/^\d+(?:\.\d+){3}$/.test(hostname) || written === hostname;
}

/** An entry of REGISTRY_WEBHOOK_HOSTS in the normalised form of the URL standard; undefined if it is not a host. */
export function webhookHost(entry: string): string | undefined {
  const text = `https://${entry}/`;
  if (!/^[^\s/?#@*\\]+$/.test(entry) || !URL.canParse(text)) return undefined;
  return new URL(text).host;
}
