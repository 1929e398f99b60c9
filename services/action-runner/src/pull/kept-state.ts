import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { stateKey, type ActionState, type StateValue } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { instant } from './position.ts';

/** What both pulls keep between runs; times are the site's. */
export const commonState = {
  /** Everything that the site had got by then was taken over, but for what a back-fill still brings. */
  last_execution: instant.optional(),
  /** How far the site's clock stood from ours at that time, ms. */
  clock_offset_ms: z.number().optional(),
  /** Of the settings that a kept position depends on; missing in a state of a release before this form. */
  settings_hash: z.string().optional(),
  /** How often what the site holds was asked to be delivered again; missing is the first time. */
  attempt: z.int().min(1).optional(),
};

/** Identifies settings: another hash, and a kept position means nothing. */
export const settingsHash = (...settings: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(settings)).slice(0, 16);

/** State of one pull in the hands of one run. */
export interface KeptState<State> {
  readonly first: State;
  /** False when somebody else, such as `state rollback`, has written meanwhile; nothing is written then. */
  save(next: State): Promise<boolean>;
}

/** Whose state it is, for errors. */
export interface StateOwner {
  readonly state: Pick<ActionState, 'get' | 'update'>;
  readonly integrationId: string;
  readonly actionId: string;
}

/**
 * Reads the state of a pull.
 * @param upgrade makes the present form of what an older release wrote
 * @throws RelayError `state_unreadable`: beginning anew could pass over what was not pulled
 */
export const readKeptState = async <State>(
  { state, integrationId, actionId }: StateOwner,
  schema: z.ZodType<State, unknown>,
  upgrade: (raw: StateValue) => unknown,
): Promise<KeptState<State>> => {
  let last = await state.get();
  const { data, error } = schema.safeParse(upgrade(last));
  if (error) {
    const problem = `${error.issues[0]?.path.map(String).join('.') || 'it'} does not fit`;
    throw new RelayError('state_unreadable', { details: { key: stateKey.of(integrationId, actionId), problem } });
  }
  return {
    first: data,
    async save(next) {
      const written = JSON.parse(JSON.stringify(z.encode(schema, next))) as StateValue;
      let ours = true;
      await state.update((present) => {
        // A write whose answer was lost is found done.
        ours = isDeepStrictEqual(present, last) || isDeepStrictEqual(present, written);
        return ours ? written : present;
      });
      if (ours) last = written;
      return ours;
    },
  };
};
