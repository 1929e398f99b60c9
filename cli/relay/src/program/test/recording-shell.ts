import { manualClock, seededRandom, type ManualClock } from '@ranger-relay/runtime/testing';
import { createPaint } from '../paint.ts';
import type { Shell } from '../shell.ts';

/** A shell whose output can be read, with a clock that moves only when told to. */
export interface RecordingShell extends Shell {
  readonly clock: ManualClock;
  readonly lines: string[];
  readonly errors: string[];
  readonly bars: string[];
  /** As SIGINT would. */
  interrupt(): void;
  failed(): boolean;
}

/** Makes a recording shell without colours. */
export const recordingShell = (parts: Partial<Pick<Shell, 'env' | 'interactive' | 'columns'>> = {}): RecordingShell => {
  const lines: string[] = [];
  const errors: string[] = [];
  const bars: string[] = [];
  const controller = new AbortController();
  let failed = false;
  return {
    env: {},
    interactive: false,
    columns: 80,
    ...parts,
    clock: manualClock(),
    random: seededRandom(1),
    paint: createPaint(false),
    lines,
    errors,
    bars,
    out: (line) => void lines.push(line),
    err: (line) => void errors.push(line),
    progress: (line) => void bars.push(line),
    interrupted: () => controller.signal,
    interrupt: () => controller.abort(),
    fail: () => {
      failed = true;
    },
    failed: () => failed,
  };
};
