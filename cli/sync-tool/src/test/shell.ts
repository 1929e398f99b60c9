import { systemClock, systemRandom, type Clock } from '@ranger-relay/runtime';
import { manualClock } from '@ranger-relay/runtime/testing';
import { type SyncShell, thisMachine } from '../run/machine.ts';
import { recordingShell, type RecordingShell } from '@ranger-relay/terminal/testing';

/** A shell whose output can be read, on the clock of the machine. */
export type TestShell = Omit<RecordingShell, 'clock'> & Pick<SyncShell, 'clock' | 'machine'>;

/** The clock of the machine, but for waits: they are over at once, and the time has passed. */
const skippingClock = (): Clock => {
  let skipped = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + skipped,
    monotonic: () => systemClock.monotonic() + skipped,
    async sleep(ms) {
      skipped += ms;
    },
  };
};

/** A clock that stands still but for waits, which are over at once; a simulated site on the same clock sees the time pass. */
export const virtualClock = (): Clock => {
  const clock = manualClock(Date.now());
  return {
    ...clock,
    async sleep(ms) {
      await clock.advance(ms);
    },
  };
};

/** Makes such a shell. */
export const testShell = (env: NodeJS.ProcessEnv = {}, clock: Clock = skippingClock()): TestShell => ({
  ...recordingShell({ env }),
  clock,
  random: systemRandom,
  machine: thisMachine(),
});
