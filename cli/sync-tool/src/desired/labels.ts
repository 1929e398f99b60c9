import type { Names } from '../bundle/model.ts';

/** Chooses, cleans and cuts a display text: the language of the run, else others, else the fallback (bundle contract, 3). */
export type Label = (names: Names, fallback: string, limit: number) => string;

/** Longest display texts, code points (site contract, 3 to 6). */
export const labelLimits = { type: 255, choice: 100, title: 1_000, subject: 100 } as const;
