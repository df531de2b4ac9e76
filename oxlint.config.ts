/**
 * Lint: every rule is an error, type information is on. A rule is switched off here with its reason, never in a file.
 * scripts/check/import-rules.ts defines who may import whom, and scripts/check/house-rules.ts the rules that lint cannot express.
 */
import { defineConfig, type OxlintOverride } from "oxlint";
import type { ImportRow } from "./scripts/check/import-rows.ts";
import { importRows } from "./scripts/check/import-rules.ts";

function importOverride({ files, refused }: ImportRow): OxlintOverride {
  return { files, rules: { "no-restricted-imports": ["error", { patterns: [...refused] }] } };
}

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "vitest"],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: [
    "node_modules",
    "dist",
    "coverage",
    ".wrangler",
    "worker-configuration.d.ts",
    // Written by `npm run console-types`.
    "console/src/api/paths.d.ts",
  ],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/no-deprecated": "error",
    "typescript/only-throw-error": "error",
    "typescript/prefer-promise-reject-errors": ["error", { allowThrowingAny: true }],
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
    "typescript/use-unknown-in-catch-callback-variable": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "oxc/no-barrel-file": ["error", { threshold: 0 }],
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "max-lines": ["error", { max: 350 }],
    "no-console": "error",
    eqeqeq: "error",
    "no-eval": "error",
    "no-var": "error",
    "prefer-const": "error",
    "vitest/no-disabled-tests": "error",
    "vitest/no-focused-tests": "error",
    "vitest/no-identical-title": "error",
    "vitest/expect-expect": "error",
    // The second one names the case when it fails.
    "vitest/valid-expect": ["error", { maxArgs: 2 }],

    // A SQL row and parsed JSON have no type until we declare one; the schema next to them validates it.
    "typescript/no-unsafe-type-assertion": "off",
    // The compiler checks this with types.
    "typescript/consistent-return": "off",
    "consistent-return": "off",
    // Streams are read one after the other; that is the point.
    "no-await-in-loop": "off",
    // Functions are passed in records here; the few classes bind no method that is passed on.
    "typescript/unbound-method": "off",
    // `fc.property` and its like read better than bare names.
    "import/no-named-as-default-member": "off",
    "import/no-named-as-default": "off",
    // `new URL(text)` and its like are how the platform checks a text.
    "no-new": "off",
    // A small function is clearest where it is used.
    "unicorn/consistent-function-scoping": "off",
    // An inner name may repeat an outer one if both use the domain's term.
    "no-shadow": "off",
  },
  overrides: [
    { files: ["scripts/**", "bench/**", ".ci/**"], rules: { "no-console": "off" } },
    // Tells the author of an application, in development, which of their tools cannot be offered.
    { files: ["sdk/src/react/use-client-tools.ts"], rules: { "no-console": "off" } },
    ...importRows.map(importOverride),
    {
      files: ["**/*.test.ts", "test/**"],
      rules: {
        // Tests read JSON without validation: a wrong shape fails the test.
        "typescript/no-unsafe-argument": "off",
        "typescript/no-unsafe-assignment": "off",
        "typescript/no-unsafe-call": "off",
        "typescript/no-unsafe-member-access": "off",
        "typescript/no-unsafe-return": "off",
        "typescript/no-base-to-string": "off",
        // Tests of limits repeat the same item many times.
        "unicorn/no-array-fill-with-reference-type": "off",
      },
    },
    // Imports what later screens share, so that it is in the first file.
    // An application of another client uses members that the client has deprecated.
    { files: ["test/types/**"], rules: { "typescript/no-deprecated": "off" } },
    {
      // Runs in the browser unchanged, on a library without types.
      files: ["workers/pages/reference/*.js", "workers/registry/graphql/graphiql/*.js"],
      rules: {
        "typescript/no-unsafe-argument": "off",
        "typescript/no-unsafe-assignment": "off",
        "typescript/no-unsafe-call": "off",
        "typescript/no-unsafe-member-access": "off",
        "typescript/no-unsafe-return": "off",
      },
    },
    // Written by `npm run wire-types`.
    { files: ["sdk/src/core/wire.ts"], rules: { "max-lines": "off" } },
    // LiveKit's new name of an option also encrypts data messages, which existing agents cannot decrypt.
    { files: ["sdk/src/live-agent/call-media.ts"], rules: { "typescript/no-deprecated": "off" } },
    // An application's own query client may be older than the new name of `fetchQuery`; and 1.4.0's deprecated members are returned.
    {
      files: ["sdk/src/react/use-surroundings.ts", "sdk/src/react/use-contract-oracle.ts"],
      rules: { "typescript/no-deprecated": "off" },
    },
    // The Worker under test re-exports the deployed one, and zod-without-locales.ts replaces a package; the others are the entries of
    // the package.
    {
      files: [
        "test/workers/worker.ts",
        "workers/oracle/index.ts",
        "workers/oracle/testing/index.ts",
        "workers/zod-without-locales.ts",
      ],
      rules: { "oxc/no-barrel-file": "off" },
    },
  ],
});
