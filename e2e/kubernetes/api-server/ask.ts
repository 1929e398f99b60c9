import { RelayError } from '@ranger-relay/errors';
import type { KubeApi } from '@ranger-relay/operator-kit';

/** Something that a controller asks, and what it makes of the answer. */
export type Question = (ask: Ask) => Promise<unknown>;

/** An API server and a namespace in which nobody else is. */
export interface Ask {
  readonly api: KubeApi;
  readonly namespace: string;
}

/** Under which name everything is written. */
export const fieldManager = 'ranger-relay-operator';
export const time = '2026-01-31T14:00:00Z';
/** A uid that nothing has. */
export const elsewhere = '00000000-0000-4000-8000-000000000000';

/** What a call came to: the code of its error, or what is looked at of its object. */
export const outcome = async (
  work: Promise<unknown>,
  look: (found: unknown) => unknown = () => 'done',
): Promise<unknown> => {
  try {
    return look(await work);
  } catch (error) {
    return error instanceof RelayError ? error.code : String(error);
  }
};
