import { systemClock, systemRandom, type Clock } from '@ranger-relay/runtime';
import { recordingShell, type RecordingShell } from '@ranger-relay/terminal/testing';

/** A shell whose output can be read, on the clock of the machine; waits between two tries are over at once. */
export type TestShell = Omit<RecordingShell, 'clock'> & { readonly clock: Clock };

const shellParts = {
  clock: { ...systemClock, sleep: (): Promise<void> => Promise.resolve() },
  random: systemRandom,
};

/** Makes such a shell. */
export const testShell = (env: NodeJS.ProcessEnv = {}): TestShell => ({ ...recordingShell({ env }), ...shellParts });
