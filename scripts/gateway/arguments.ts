/** The command line of `npm run gateway`, parsed once into one command. */
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";

const DEFAULT_TIMEOUT_MS = 5000;
const DEFAULT_IMAGE = "gateway-image.binpb";

const usage = `Usage: npm run gateway -- COMMAND [options]

  routes           print the routes of a running gateway, from its own OpenAPI document
    --url URL      the server; default http://localhost:3000, or the port in PORT
  check            check a node over gRPC-web and print its block height and services
    --node URL     such as https://node.example:1317
    --timeout MS   for each question; default ${DEFAULT_TIMEOUT_MS}
  image            write the descriptor image of a node's services, read by gRPC server reflection
    --node URL     its gRPC port, such as http://node.example:9090
    --out FILE     where to; default ${DEFAULT_IMAGE}
    --timeout MS   for each question; default ${DEFAULT_TIMEOUT_MS}

  --help           this text

Exit codes: 0 done, 1 not reachable or not as it should be, 2 wrong usage.
`;

export type GatewayCommand =
  | { readonly kind: "routes"; readonly url: string }
  | { readonly kind: "check"; readonly node: string; readonly timeoutMs: number }
  | { readonly kind: "image"; readonly node: string; readonly timeoutMs: number; readonly out: string };

export const gatewayCommand = defineCommand({
  name: "npm run gateway",
  usage,
  options: {
    url: { type: "string" },
    node: { type: "string" },
    out: { type: "string" },
    timeout: { type: "string" },
  },
  takesWords: true,
  read({ values, words: [kind, ...more], environment }): GatewayCommand {
    if (more.length > 0) throw new Error(`unknown argument ${more.join(" ")}`);
    switch (kind) {
      case "routes":
        if (values.node !== undefined || values.timeout !== undefined || values.out !== undefined)
          throw new Error("routes takes only --url");
        return { kind, url: serverAddress(values.url, environment) };
      case "check":
      case "image": {
        const timeoutMs = Number(values.timeout ?? DEFAULT_TIMEOUT_MS);
        if (values.url !== undefined) throw new Error(`${kind} takes --node, not --url`);
        if (values.node === undefined) throw new Error(`${kind} needs --node URL`);
        if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) throw new Error("--timeout is in milliseconds");
        const asked = { node: address(values.node), timeoutMs };
        if (kind === "image")
          return { kind, ...asked, out: resolve(environment["INIT_CWD"] ?? "", values.out ?? DEFAULT_IMAGE) };
        if (values.out !== undefined) throw new Error("check writes no file");
        return { kind, ...asked };
      }
      case undefined:
        throw new Error("name a command: routes, check or image");
      default:
        throw new Error(`unknown command ${kind}: use routes, check or image`);
    }
  },
});

/** Without a slash at its end. */
function address(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (protocol !== "http:" && protocol !== "https:") throw new Error(`${text} is not an http or https address`);
  return text.replace(/\/+$/, "");
}
