/** `LOG_LEVEL`: what is less than it is not logged; `debug` adds timings (contract/ussd.md section 11). */
import type { Logger } from "../platform/log.ts";
import type { UssdConfig } from "./config.ts";

type Level = UssdConfig["LOG_LEVEL"];

const ORDER: readonly Level[] = ["debug", "info", "warn", "error"];

export function atLevel(log: Logger, level: Level): Logger {
  const write = (own: "info" | "warn" | "error"): Logger["info"] =>
    ORDER.indexOf(own) < ORDER.indexOf(level) ? () => undefined : (event, members) => log[own](event, members);
  return { info: write("info"), warn: write("warn"), error: write("error") };
}
