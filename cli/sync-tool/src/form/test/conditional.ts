import type { Members } from '../model.ts';

/** A conditional part of a form with this `then`. */
export const conditional = (then: unknown, about: Members = {}): Members => {
  // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema names it so
  return { if: {}, ...about, then };
};
