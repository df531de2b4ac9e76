/** Domains whose words match what is typed in the palette, as commands that open them. */
import { keepPreviousData } from "@tanstack/react-query";
import { apiHooks } from "../api/api.ts";
import { domainHref } from "../kit/addresses.ts";
import { KEPT, useSettled } from "../kit/use-settled.ts";
import { useCredentials } from "../session/use-credentials.ts";
import { shellTexts } from "../texts/shell.ts";
import type { PaletteCommand } from "./palette-command.ts";

/** Characters before the registry is asked. */
const LEAST = 2;
/** Domains that are offered. */
const OFFERED = 6;

export function useDomainCommands(typed: string, navigate: (href: string) => void): readonly PaletteCommand[] {
  const q = useSettled(typed.trim());
  const enabled = useCredentials().apiKey !== undefined && q.length >= LEAST;
  const { data } = apiHooks.useQuery(
    "get",
    "/v1/domains",
    { params: { query: { q, limit: OFFERED } } },
    { enabled, placeholderData: keepPreviousData, retry: false, gcTime: KEPT },
  );
  if (!enabled) return [];
  return (data?.data ?? []).map(({ id, name }) => ({
    id,
    title: shellTexts.openDomain(name ?? id),
    run: () => navigate(domainHref(id)),
  }));
}
