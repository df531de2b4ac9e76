/** Which questions are suggested: by the plugins of the host, and by the name and state of a domain. */
import { expect, test } from "vitest";
import { phrasedCall } from "../../../oracle/models/local-model/phrases.ts";
import { suggestionsFor } from "./suggested.ts";

const did = "did:ixo:entity:0123456789abcdef0123456789abcdef";
const name = "Kibera Clean Stoves";
const labels = (...asked: Parameters<typeof suggestionsFor>) => suggestionsFor(...asked).map(([label]) => label);
const tools = ["get_domain_card", "explain_verification", "search_domains", "remember", "forget_everything"];

test("no question asks why a verified domain is not verified [CN-280]", () => {
  expect(labels({ did, name, isVerified: true }, [])).toEqual([
    "Tell me about Kibera Clean Stoves",
    "How was it verified?",
    "What is a clean cooking domain?",
  ]);
  expect(labels({ did, name, isVerified: false }, [])).toContain("Why is it not verified?");
  expect(labels({ did }, [])).toEqual(["Tell me about this domain", "What is a clean cooking domain?"]);
});

test("only plugins that are on are suggested, including a call that asks for approval [CN-281]", () => {
  expect(labels(undefined, [])).toEqual(["What is a clean cooking domain?"]);
  expect(labels(undefined, ["memory"])).toContain("Forget everything you remember");
});

test.each([true, false])(
  "the built-in model finds the domain of each question, verified: %s [CN-140, CN-280]",
  (isVerified) => {
    const [about, why] = suggestionsFor({ did, name, isVerified }, []).map(([, message]) =>
      phrasedCall(
        message,
        tools.map((tool) => ({ name: tool })),
      ),
    );
    expect(about).toEqual({ toolName: "get_domain_card", input: { did } });
    expect(why).toEqual({ toolName: "explain_verification", input: { did } });
  },
);
