/** Which plugins this host has on: a panel of one that is off says so. */
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../api/use-health.ts";

export function usePlugins() {
  return useQuery({ ...healthQuery, select: ({ plugins }) => plugins?.loaded ?? [] });
}
