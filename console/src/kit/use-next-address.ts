/** Goes to an address once what guards this one is gone from the page, and in place of this one if it is over: a form that is sent. */
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
