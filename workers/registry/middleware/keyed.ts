/** Authentication as middleware, for the routes that are not declared by `route()` yet. */
import type { MiddlewareHandler } from "hono";
import type { OpenableSurface } from "../config.ts";
import type { RegistryHono } from "../context.ts";
import * as authentication from "../http/authentication.ts";
import type { Scope } from "../scopes.ts";

const passing: MiddlewareHandler<RegistryHono> = (_c, next) => next();

export function keyed(scope?: Scope): MiddlewareHandler<RegistryHono> {
  return authentication.keyed(scope).middleware[0] ?? passing;
}

export function openFor(surface: OpenableSurface): MiddlewareHandler<RegistryHono> {
  return authentication.openFor(surface).middleware[0] ?? passing;
}
