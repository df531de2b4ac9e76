/** Each call fits the shape of its service, saves into declared values, and a write has a PIN before it on every way. */
import { widestAnswer } from "../answers.ts";
import type { MenuFile } from "../menu-file.ts";
import type { AskScreen, CallScreen } from "../screen-schemas.ts";
import { allNames, parseTemplate } from "../template.ts";
import { allWays, knownOnArrival } from "./paths.ts";
import type { Report } from "./report.ts";

export function checkCalls(file: MenuFile, report: Report): void {
  const known = knownOnArrival(file);
  const used = new Set<string>();
  for (const [screen, member] of Object.entries(file.screens)) {
    if ("ask" in member) checkQuestion(file, screen, member, report);
    checkRoles(file, screen, member, report);
    if (!("call" in member)) continue;
    used.add(member.call);
    const services = file.services ?? {};
    const service = Object.hasOwn(services, member.call) ? services[member.call] : undefined;
    if (service === undefined) {
      report(["screens", screen, "call"], `calls "${member.call}", which is not a service of the file`, { screen });
      continue;
    }
    checkShape(file, screen, member, service, report);
    const here = known.get(screen);
    if (service.write && here !== undefined && !here.confirmed)
      report(["screens", screen, "call"], `writes without a PIN: ${unconfirmedWay(file, screen)}`, { screen });
    for (const [name, text] of Object.entries(member.with ?? {})) {
      const read = parseTemplate(text);
      const path = ["screens", screen, "with", name];
      if (!read.ok) report(path, read.error, { screen });
      else
        for (const value of allNames(read.value)) {
          const spec = Object.hasOwn(file.values ?? {}, value) ? file.values?.[value] : undefined;
          if (spec === undefined) report(path, `sends {${value}}, which is not a value of the file`, { screen });
          else if (spec.cut) report(path, `sends {${value}}, which may be shortened: leave out cut`, { screen });
          else if (here !== undefined && !here.set.has(value))
            report(path, `sends {${value}}, which is not set on every way here`, { screen });
        }
    }
  }
  for (const name of Object.keys(file.services ?? {}))
    if (!used.has(name)) report(["services", name], `no screen calls "${name}"`);
}

/** The last steps of a way on which no PIN is asked for. */
function unconfirmedWay(file: MenuFile, screen: string): string {
  const known = knownOnArrival(file);
  const before = allWays(file).find(({ from, to, confirms }) => {
    const member = file.screens[from];
    const keeps = member !== undefined && "call" in member && known.get(from)?.confirmed === true;
    return (
      to === screen && confirms !== true && (!keeps || file.services?.[member.call]?.write === true) && known.has(from)
    );
  });
  return before === undefined ? "put ask: pin before it" : `"${before.from}" leads here; put ask: pin between them`;
}

type Service = NonNullable<MenuFile["services"]>[string];

function checkShape(file: MenuFile, screen: string, call: CallScreen, service: Service, report: Report): void {
  const [sent, expected] = [Object.keys(call.with ?? {}), Object.keys(service.send ?? {})];
  for (const name of expected)
    if (!sent.includes(name)) report(["screens", screen, "call"], `must send "${name}"`, { screen });
  for (const name of sent)
    if (!expected.includes(name))
      report(["screens", screen, "with", name], `sends "${name}", which the service does not take`, { screen });
  for (const [value, member] of Object.entries(call.save ?? {})) {
    const path = ["screens", screen, "save", value];
    if (!Object.hasOwn(file.values ?? {}, value)) report(path, `saves "${value}", which is not a value`, { screen });
    if (!Object.hasOwn(service.answer ?? {}, member))
      report(path, `reads "${member}", which the answer does not have`, { screen });
  }
}

function checkQuestion(file: MenuFile, screen: string, question: AskScreen, report: Report): void {
  if (question.ask === "pin") {
    if (question.login !== true)
      report(["screens", screen, "ask"], "asks for the PIN of a customer: write login: true", { screen });
    return;
  }
  const path = ["screens", screen, "save"];
  const spec = Object.hasOwn(file.values ?? {}, question.save) ? file.values?.[question.save] : undefined;
  const widest = widestAnswer(question);
  if (spec === undefined) report(path, `saves "${question.save}", which is not a value`, { screen });
  else if (widest > spec.max)
    report(path, `saves up to ${widest} septets in "${question.save}", which has ${spec.max}`, {
      screen,
      count: widest,
    });
  if (question.ask === "number") {
    if (question.min > question.max) report(["screens", screen, "min"], "min is greater than max", { screen });
    else if (question.min <= 0 && question.max >= 0)
      report(["screens", screen, "min"], "0 means back on every phone: begin at 1, or ask for a choice", { screen });
  }
  if (question.ask === "text" && (question.min ?? 1) > question.max)
    report(["screens", screen, "min"], "min is greater than max", { screen });
}

function checkRoles(file: MenuFile, screen: string, member: MenuFile["screens"][string], report: Report): void {
  const roles = new Set(file.roles);
  const own = "role" in member ? (member.role ?? []) : [];
  const offered = "options" in member ? (member.options ?? []).flatMap(({ role }) => role ?? []) : [];
  for (const role of [...own, ...offered])
    if (!roles.has(role)) report(["screens", screen], `"${role}" is not a role of the file`, { screen });
}
