import { z } from 'zod';
import type { ActionType } from '../define/action.ts';
import { defineAction, type ActionContext, type DefinedAction } from '../index.ts';

/** A handler under test. */
export type Handler = (context: ActionContext) => unknown;

/** A model with an ordinary field and a secret one. */
export const model = z.object({
  days: z.number().default(1),
  password: z.string().default('').meta({ secret: true }),
});

/** An action of the type with the usual model. */
export const action = (type: ActionType, run: Handler = () => null, parts: object = {}): DefinedAction =>
  defineAction({
    type,
    config: model,
    ...(type === 'push' ? { model: 'Text*' } : {}),
    ...parts,
    run: (context) => run(context as unknown as ActionContext),
  });

/** Handlers of which one is called `work`, beside an `auth`. */
export const handlers = (type: ActionType, run?: Handler, parts?: object): Record<string, DefinedAction> => ({
  action_work: action(type, run, parts),
  action_auth: action('auth'),
});

/** Configuration with which a scheduled pull runs. */
export const scheduled = { run_on_schedule: true };

/** A handler that ends when the test says so. */
export const gate = () => {
  const waiting: { context: ActionContext; resolve: (value: unknown) => void; reject: (error: unknown) => void }[] = [];
  return {
    waiting,
    run: (context: ActionContext): Promise<unknown> =>
      new Promise((resolve, reject) => waiting.push({ context, resolve, reject })),
  };
};
