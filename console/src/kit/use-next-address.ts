/**
 * Goes to another address after the next drawing, when a form that was just sent no longer asks before somebody leaves. By default
 * the new address replaces this one in the history.
 */
import { useEffect, useState } from "react";
import { useLocation } from "wouter";

export function useNextAddress({ replace = true } = {}): (address: string) => void {
  const [, navigate] = useLocation();
  const [next, setNext] = useState<string>();
  useEffect(() => {
    if (next === undefined) return;
    setNext(undefined);
    navigate(next, { replace });
  }, [next, navigate, replace]);
  return setNext;
}
