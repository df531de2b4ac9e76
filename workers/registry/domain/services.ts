/**
 * The downstream services of a domain. Its managers switch them on and off; they also switch off when the domain loses
 * the right to them. Times are Unix milliseconds.
 */
import type { DomainRecord, ServiceName, ServiceState } from "./domain.ts";
import { printTime } from "./time.ts";

type Services = DomainRecord["services"];

/** Why a service was switched off. */
export type DisabledReason = "switched_off" | "verification_lost" | "validity_ended" | "suspended" | "deactivated";

/** Returns `services` itself if the service is already in that state. */
export function withService(services: Services, name: ServiceName, enabled: boolean, at: number): Services {
  if (services[name].enabled === enabled) return services;
  const next = enabled ? switchedOn(at) : switchedOff(services[name], at, "switched_off");
  return { ...services, [name]: next };
}

/** Returns `services` itself if every service is off. */
export function allServicesOff(services: Services, at: number, reason: DisabledReason): Services {
  const off = (state: ServiceState): ServiceState => (state.enabled ? switchedOff(state, at, reason) : state);
  return { reporting: off(services.reporting), issuance: off(services.issuance) };
}

export function isAnyServiceOn(services: Services): boolean {
  return services.reporting.enabled || services.issuance.enabled;
}

function switchedOn(at: number): ServiceState {
  return { enabled: true, enabledAt: printTime(at), disabledAt: null, disabledReason: null };
}

function switchedOff(state: ServiceState, at: number, reason: DisabledReason): ServiceState {
  return { ...state, enabled: false, disabledAt: printTime(at), disabledReason: reason };
}
