import type { ActionState } from './action-state.ts';

/** The state of an integration that is not saved: always empty, and nothing is kept (platform contract, runner). */
export const noState: ActionState = {
  get: async () => ({}),
  set: async () => undefined,
  setIfAbsent: async () => true,
  update: async (change) => change({}),
  delete: async () => false,
};
