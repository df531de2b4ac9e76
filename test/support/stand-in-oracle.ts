/** An oracle for the phone gateway's tests: it knows its jobs, and answers when the test says so. */
import { fault, type FaultCode } from "../../workers/platform/errors.ts";
import type { OracleAnswer, OracleDesk } from "../../workers/platform/ports.ts";
import { failure, success } from "../../workers/platform/result.ts";

export interface StandInOracle {
  readonly desk: OracleDesk;
  /** Questions that were asked, by job; a job asked twice is listed twice. */
  readonly asked: readonly { readonly jobId: string; readonly text: string }[];
  /** What a question is answered with; `running` by default means that the test answers. */
  answers: OracleAnswer;
  fault: FaultCode | undefined;
  /** How often somebody looked for an answer. */
  looks: number;
}

export function createStandInOracle(): StandInOracle {
  const asked: { jobId: string; text: string }[] = [];
  const oracle: StandInOracle = {
    asked,
    answers: { state: "answered", text: "All is well." },
    fault: undefined,
    looks: 0,
    desk: {
      async ask({ jobId, text, invocation }) {
        if (oracle.fault !== undefined) return failure(fault(oracle.fault, "no"));
        if (invocation === "") return failure(fault("unauthenticated", "no invocation"));
        asked.push({ jobId, text });
        return success({ jobId });
      },
      async answer(jobId) {
        oracle.looks += 1;
        if (!asked.some((question) => question.jobId === jobId)) return failure(fault("not_found", "no such job"));
        return success(oracle.answers);
      },
    },
  };
  return oracle;
}
