import type { RunActionCommand } from '@ranger-relay/contracts';
import { storeKey } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { isReplay } from '../replay.ts';

/** Runs that are remembered at most; the oldest is forgotten first. */
const most = 10_000;

/** Tells which ticks of a schedule have nothing left to do, because a run of the same action began after they were due. */
export interface LateTicks {
  /** A run has done what the command asks for; it began then. One with overrides did something else than a tick would. */
  completed(command: RunActionCommand, began: number): void;
  isCovered(command: RunActionCommand): boolean;
}

/** A tick and nothing else: a back-fill, a replay and a person's wish are for what they ask, whenever they come. */
const dueOf = (command: RunActionCommand): number => {
  const { triggered_by, scheduled_at, config_overrides, payload } = command;
  const isTick = triggered_by === 'auto' && !config_overrides && payload?.self_triggered !== true && !isReplay(command);
  return isTick ? Date.parse(scheduled_at ?? '') : Number.NaN;
};

/** The key of a record is its producer's; what a command runs is in itself. */
const keyOf = ({ integration_id, action_id }: RunActionCommand): string => storeKey(integration_id, action_id);

/** Ticks that waited behind a long run are one run, not many (platform contract, schedules). */
export const createLateTicks = (clock: Pick<Clock, 'now'>): LateTicks => {
  const begun = new Map<string, number>();
  return {
    completed(command, began) {
      if (command.config_overrides) return;
      const key = keyOf(command);
      begun.delete(key);
      begun.set(key, began);
      if (begun.size > most) begun.delete(begun.keys().next().value as string);
    },
    isCovered(command) {
      const began = begun.get(keyOf(command)) ?? Number.NEGATIVE_INFINITY;
      // A clock that was ahead says nothing about ticks that are due before it comes there again.
      return began <= clock.now() && dueOf(command) <= began;
    },
  };
};
