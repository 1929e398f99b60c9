import { hash } from 'node:crypto';
import { stateKey, type ActionState, type StateValue } from '@ranger-relay/actions';
import { parseExactJson, RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { openOwnedState } from '../owned-state.ts';
import { instant } from './position.ts';

/** State of every pull between runs; times are the site's. */
export const commonState = {
  /** Everything that the site had saved by then was pulled, except what a back-fill still brings. */
  last_execution: instant.optional(),
  /** Difference between the site's clock and the local clock at that time, ms. */
  clock_offset_ms: z.number().optional(),
  /** Hash of the settings that a kept position depends on; missing before the first run. */
  settings_hash: z.string().optional(),
  /** Number of the full delivery of the site's rows, a part of their ids on `source-events`; missing for the first one. */
  attempt: z.int().min(1).optional(),
  /** The listing since the watermark. */
  listing: z
    .object({
      /** The site's time when it began; missing until the site has answered. */
      began: instant.optional(),
      /** The latest time that it has shown. */
      newest: instant.optional(),
      /** Its rows may have no time of their own by which the watermark can move: then it moves to the beginning. */
      by_recording: z.literal(true).optional(),
    })
    .optional(),
};

const commonSchema = z.object(commonState);
export type CommonState = Readonly<z.output<typeof commonSchema>>;

/** Identifies settings: with another hash, a kept position is invalid. */
export const settingsHash = (...settings: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(settings)).slice(0, 16);

/** State of one pull as one run holds it. */
export interface KeptState<State> {
  readonly first: State;
  /** Saves the state. False, without a write, when another writer such as `state rollback` has changed it meanwhile. */
  save(next: State): Promise<boolean>;
}

/** The state and its owner, for errors. */
export interface StateOwner {
  readonly state: Pick<ActionState, 'get' | 'update'>;
  readonly integrationId: string;
  readonly actionId: string;
}

/**
 * Reads the state of a pull.
 * @throws RelayError `state_unreadable`: starting over could miss rows that were not pulled
 */
export const readKeptState = async <State>(
  { state, integrationId, actionId }: StateOwner,
  schema: z.ZodType<State, unknown>,
): Promise<KeptState<State>> => {
  const owned = await openOwnedState(state);
  const { data, error } = schema.safeParse(owned.first);
  if (error) {
    const problem = `${error.issues[0]?.path.map(String).join('.') || 'it'} does not fit`;
    throw new RelayError('state_unreadable', { details: { key: stateKey.of(integrationId, actionId), problem } });
  }
  const save = (next: State) => owned.save(parseExactJson(JSON.stringify(z.encode(schema, next))) as StateValue);
  return { first: data, save };
};
