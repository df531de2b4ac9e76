/** The command line of `npm run gateway`, parsed once into one command. */
import { parseArgs } from "node:util";
import { serverAddress } from "../server-address.ts";

const DEFAULT_TIMEOUT_MS = 5000;

export const usage = `Usage: npm run gateway -- COMMAND [options]

  routes           print the routes of a running gateway, from its own OpenAPI document
    --url URL      the server; default http://localhost:3000, or the port in PORT
  check            look at a node over gRPC-web: is it there, how high is it, which services has it
    --node URL     such as https://node.example:1317
    --timeout MS   for each question; default ${DEFAULT_TIMEOUT_MS}

  --help           this text

Exit codes: 0 done, 1 not reachable or not as it should be, 2 wrong usage.
`;

export type GatewayCommand =
  | { readonly kind: "routes"; readonly url: string }
  | { readonly kind: "check"; readonly node: string; readonly timeoutMs: number };

const options = {
  url: { type: "string" },
  node: { type: "string" },
  timeout: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** The command, or one sentence on what is wrong with it, or a wish for help. */
export function parseGateway(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): GatewayCommand | "help" | Error {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    if (values.help) return "help";
    const [kind, ...more] = positionals;
    if (more.length > 0) return new Error(`what is ${more.join(" ")}?`);
    switch (kind) {
      case "routes":
        if (values.node !== undefined || values.timeout !== undefined) return new Error("routes takes --url alone");
        return { kind, url: serverAddress(values.url, environment) };
      case "check": {
        const timeoutMs = Number(values.timeout ?? DEFAULT_TIMEOUT_MS);
        if (values.url !== undefined) return new Error("check takes --node, not --url");
        if (values.node === undefined) return new Error("check needs --node URL");
        if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) return new Error("--timeout is in milliseconds");
        return { kind, node: address(values.node), timeoutMs };
      }
      case undefined:
        return new Error("name a command: routes or check");
      default:
        return new Error(`there is no command ${kind}: routes or check`);
    }
  } catch (error) {
    return error as Error;
  }
}

/** Without a slash at its end. */
function address(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== "http:" && protocol !== "https:") throw new Error(`${text} is no http or https address`);
  return text.replace(/\/+$/, "");
}
