/** The command line of `npm run ussd`, parsed once. */
import { defineCommand } from "../command.ts";
import { serverAddress } from "../server-address.ts";
import { EQUAL_PAUSE_MS } from "../../shared/flow-player.ts";
import { formatOf, providerNames, type GatewayFormat, type TextMode } from "../../shared/gateway-formats.ts";

/** The phone and the code of the recorded flows. */
const DEFAULT_PHONE = "+260971230001";
const DEFAULT_CODE = "*2233#";
/** As the gateway accepts it; some deployments accept it without a plus. */
const PHONE = /^\+?[1-9]\d{6,14}$/;
const usage = `Usage: npm run ussd -- [options]

A phone in the terminal. It dials, shows the screen, and sends each line that you type. Without a terminal, it reads one
input per line from standard input.

  /redial          drop the call and dial again; so does an empty line once a call is over
  /again           send the last request once more, as a gateway repeats it
  /state           the debug record of this call (GET /api/ussd/debug/...)
  /quit            leave; so does the end of the input

Options of the phone:
  --phone NUMBER   default ${DEFAULT_PHONE}
  --code CODE      what is dialled; default ${DEFAULT_CODE}
  --form           send forms instead of JSON
  --latest-only    send only the latest input, as some gateways do, not all input. The server treats an equal input
                   within USSD_REPLAY_WINDOW_MS as a repetition
  --provider NAME  send requests in the format of ${providerNames.join(", ")}

Recorded flows instead of a phone:
  --replay-file FILE   run the flows of a YAML file and report the first difference of each; may be repeated
  --flow NAME          only this flow; may be repeated
  --set NAME=VALUE     the value of {NAME} in flows that are given it; may be repeated
  --pause MS           between two equal inputs of --latest-only; default ${EQUAL_PAUSE_MS}, longer than the server's
                       USSD_REPLAY_WINDOW_MS

Always:
  --url URL        the server; default http://localhost:3000, or the port in PORT
  --help           this text

Screens and reports go to standard output, everything else to standard error. A path secret (USSD_PATH_SECRET) and an
operator's token (USSD_OPERATOR_TOKEN, for /state) are taken from the environment.

Exit codes: 0 done, 1 a flow differed or a response was not a reply for a phone, 2 wrong usage, 3 server unreachable,
130 interrupted.
`;

export interface UssdOptions {
  /** Without a trailing slash. */
  readonly url: string;
  /** Undefined if not given: each flow then gets a new one. */
  readonly phoneNumber: string | undefined;
  readonly serviceCode: string | undefined;
  readonly format: GatewayFormat;
  /** Undefined if neither the options nor the format set it: a flow may. */
  readonly mode: TextMode | undefined;
  readonly task: Task;
}

export type Task = { readonly kind: "phone" } | ReplayTask;

export interface ReplayTask {
  readonly kind: "replay";
  readonly files: readonly string[];
  /** Empty for all flows. */
  readonly flows: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  readonly pauseMs: number;
}

export const defaults = { phoneNumber: DEFAULT_PHONE, serviceCode: DEFAULT_CODE } as const;

export const ussdCommand = defineCommand({
  name: "npm run ussd",
  usage,
  options: {
    phone: { type: "string" },
    code: { type: "string" },
    form: { type: "boolean", default: false },
    "latest-only": { type: "boolean", default: false },
    provider: { type: "string" },
    "replay-file": { type: "string", multiple: true },
    flow: { type: "string", multiple: true },
    set: { type: "string", multiple: true },
    pause: { type: "string" },
    url: { type: "string" },
  },
  read({ values, environment }): UssdOptions {
    if (values.phone !== undefined && !PHONE.test(values.phone)) {
      throw new Error(`--phone takes a number such as ${DEFAULT_PHONE}, not "${values.phone}"`);
    }
    if (values.form && values.provider !== undefined) throw new Error("give either --form or --provider");
    const format = values.form ? formatOf("form") : formatOfProvider(values.provider);
    if (values["latest-only"] && format.mode === "cumulative") {
      throw new Error(`${values.provider ?? ""} sends all that was typed: no --latest-only`);
    }
    return {
      url: serverAddress(values.url, environment),
      phoneNumber: values.phone,
      serviceCode: values.code,
      format,
      mode: values["latest-only"] ? "latest" : format.mode,
      task: taskOf(values),
    };
  },
});

interface ReplayValues {
  readonly "replay-file"?: readonly string[];
  readonly flow?: readonly string[];
  readonly set?: readonly string[];
  readonly pause?: string;
}

function taskOf({ "replay-file": files = [], flow: flows = [], set = [], pause }: ReplayValues): Task {
  if (files.length === 0) {
    if (flows.length + set.length > 0 || pause !== undefined) {
      throw new Error("--flow, --set and --pause go with --replay-file");
    }
    return { kind: "phone" };
  }
  if (pause !== undefined && !/^\d{1,6}$/.test(pause)) throw new Error("--pause takes milliseconds");
  return {
    kind: "replay",
    files,
    flows,
    values: new Map(set.map(pairOf)),
    pauseMs: pause === undefined ? EQUAL_PAUSE_MS : Number(pause),
  };
}

function pairOf(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z][A-Za-z0-9]*)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error(`--set takes NAME=VALUE, not "${text}"`);
  return [name, value];
}

function formatOfProvider(provider: string | undefined): GatewayFormat {
  if (provider === undefined) return formatOf("json");
  const found = providerNames.find((name) => name === provider);
  if (found === undefined) throw new Error(`--provider takes one of ${providerNames.join(", ")}`);
  return formatOf(found);
}
