/**
 * Where webhooks may lead: only to hosts that the operator named, so that nobody can make the registry call into a
 * network of their choice. A private address is a host like any other: it must be named, letter by letter.
 */
import { failure, success, type Result } from "../../../platform/result.ts";

/** Characters. */
export const LONGEST_URL = 2_048;

export interface AddressRule {
  /** REGISTRY_WEBHOOK_HOSTS: `host` for the scheme's own port, `host:port` for another one. */
  readonly hosts: readonly string[];
  /** Plain HTTP is for a developer's own machine. */
  readonly allowsHttp: boolean;
}

export function addressRuleOf(config: {
  readonly REGISTRY_WEBHOOK_HOSTS: readonly string[];
  readonly ENVIRONMENT: string;
}): AddressRule {
  return { hosts: config.REGISTRY_WEBHOOK_HOSTS, allowsHttp: config.ENVIRONMENT === "development" };
}

/** The address as it is called, or why it is not. Names are compared as the URL standard writes them: no case, no dots. */
export function webhookAddress(text: string, { hosts, allowsHttp }: AddressRule): Result<URL, string> {
  if (text.length > LONGEST_URL) return failure(`may have at most ${LONGEST_URL} characters`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^[a-z]+:\/\//i.test(text))
    return failure("must be an absolute URL such as https://host/path");
  if (url.protocol !== "https:" && !(allowsHttp && url.protocol === "http:"))
    return failure("must be an https address");
  if (url.username !== "" || url.password !== "") return failure("must not hold a name or a password");
  if (url.hash !== "") return failure("must not have a fragment");
  if (!isWrittenOut(url, text)) return failure(`must name its host as ${url.hostname}`);
  if (!hosts.includes(url.host)) return failure("must lead to a host that REGISTRY_WEBHOOK_HOSTS names");
  return success(url);
}

/** The URL standard reads 2130706433 and 0x7f.1 as 127.0.0.1: an address of four numbers must be written as such. */
function isWrittenOut({ hostname }: URL, text: string): boolean {
  const [, written = ""] = /^[a-z]+:\/\/([^/?#:]*)/i.exec(text) ?? [];
  return !/^\d+(?:\.\d+){3}$/.test(hostname) || written === hostname;
}

/** An entry of REGISTRY_WEBHOOK_HOSTS as the URL standard writes it; undefined for what is no host. */
export function webhookHost(entry: string): string | undefined {
  const text = `https://${entry}/`;
  if (!/^[^\s/?#@*\\]+$/.test(entry) || !URL.canParse(text)) return undefined;
  return new URL(text).host;
}
