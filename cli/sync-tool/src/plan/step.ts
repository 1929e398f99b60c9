import type { PlannedChange, StepOutlook } from '@ranger-relay/contracts';

/** What one step of a run would write, and what it leaves. */
export interface StepPlan extends StepOutlook {
  readonly changes: readonly PlannedChange[];
}

/** A step that is not carried out, and why. */
export const skippedStep = (skipped: string): StepPlan => ({ changes: [], unchanged: 0, others: 0, skipped });
