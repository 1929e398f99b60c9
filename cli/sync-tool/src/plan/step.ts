import type { PlannedChange, StepOutlook } from '@ranger-relay/contracts';

/** Returns the members of `wanted` that differ from the present values, with the values that they replace; undefined when none differs. */
export const differences = <T extends object>(
  present: T,
  wanted: Partial<T>,
  same: (a: unknown, b: unknown) => boolean = Object.is,
): { readonly before: Partial<T>; readonly written: Partial<T> } | undefined => {
  const names = (Object.keys(wanted) as (keyof T)[]).filter((name) => !same(present[name], wanted[name]));
  if (names.length === 0) return undefined;
  const pick = (of: Partial<T>): Partial<T> => Object.fromEntries(names.map((name) => [name, of[name]])) as Partial<T>;
  return { before: pick(present), written: pick(wanted) };
};

/** What one step of a run writes, and what it leaves unchanged. */
export interface StepPlan extends StepOutlook {
  readonly changes: readonly PlannedChange[];
}

/** A step that the run skips, with the reason. */
export const skippedStep = (skipped: string): StepPlan => ({ changes: [], unchanged: 0, others: 0, skipped });
