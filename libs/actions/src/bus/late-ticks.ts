import type { RunActionCommand } from '@ranger-relay/contracts';
import { storeKey } from '@ranger-relay/kv';

/** Runs that are remembered at most; the oldest is forgotten first. */
const most = 10_000;

/** Tells which ticks of a schedule have nothing left to do, because a run of the same action began after they were due. */
export interface LateTicks {
  /** A run of what the command names has come to an end that began then. */
  began(command: RunActionCommand, at: number): void;
  isCovered(command: RunActionCommand): boolean;
}

/** A tick and nothing else: a back-fill and a person's wish are for what they ask, whenever they come. */
const dueOf = ({ triggered_by, scheduled_at, config_overrides, payload }: RunActionCommand): number =>
  triggered_by === 'auto' && !config_overrides && payload?.self_triggered !== true
    ? Date.parse(scheduled_at ?? '')
    : Number.NaN;

/** The key of a record is its producer's; what a command runs is in itself. */
const keyOf = ({ integration_id, action_id }: RunActionCommand): string => storeKey(integration_id, action_id);

/** Ticks that waited behind a long run are one run, not many (platform contract, schedules). */
export const createLateTicks = (): LateTicks => {
  const begun = new Map<string, number>();
  return {
    began(command, at) {
      const key = keyOf(command);
      begun.delete(key);
      begun.set(key, at);
      if (begun.size > most) begun.delete(begun.keys().next().value as string);
    },
    isCovered: (command) => dueOf(command) <= (begun.get(keyOf(command)) ?? Number.NEGATIVE_INFINITY),
  };
};
