/** The steps of the tour, in the order of the conversation. */
import type { TourStep } from "./step.ts";
import { askWhyNotVerified } from "./steps/verification.ts";

export const tourSteps: readonly TourStep[] = [askWhyNotVerified];
