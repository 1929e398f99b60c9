import type { Figure } from './table.ts';

/** A figure that may be so large at most. */
export const atMost = (name: string, unit: string, value: number, most: number): Figure => {
  const bound = `≤ ${most.toLocaleString('en')} ${unit}`;
  return { name, unit, value, bound, holds: value <= most };
};

/** A figure that has to be so large at least. */
export const atLeast = (name: string, unit: string, value: number, least: number): Figure => {
  const bound = `≥ ${least.toLocaleString('en')} ${unit}`;
  return { name, unit, value, bound, holds: value >= least };
};

/** A figure that has to be exactly so large. */
export const exactly = (name: string, unit: string, value: number, wanted: number): Figure => {
  return { name, unit, value, bound: `${wanted}`, holds: value === wanted };
};

/** A figure that may be so many times the bare limit at most. */
export const atMostBare = (name: string, unit: string, value: number, bare: number, times: number): Figure => {
  return { name, unit, value, bare, bound: `≤ ${times} × bare`, holds: value <= times * bare };
};
