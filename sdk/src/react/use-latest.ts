/** The newest value of a render, for functions that are called later. */
"use client";
import { useInsertionEffect, useRef, type RefObject } from "react";

/** The reference keeps its identity. `current` is the value of the last render that React has committed. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  // Before all other effects, so that none of them sees an older value.
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
