import { manualClock, seededRandom, type ManualClock } from '@ranger-relay/runtime/testing';
import type { ExitCode } from '../failure.ts';
import { createPaint } from '../format.ts';
import type { Shell } from '../shell.ts';

export { shellLines, shellWords } from './shell-lines.ts';

/** A shell whose output can be read, with a clock that moves only when told to. */
export interface RecordingShell extends Shell {
  readonly clock: ManualClock;
  readonly lines: string[];
  readonly errors: string[];
  readonly bars: string[];
  /** Questions that were asked; `answer` says what comes back. */
  readonly questions: string[];
  answer: boolean | undefined;
  /** As SIGINT would. */
  interrupt(): void;
  failed(): boolean;
  /** What `fail` was last called with; 0 when it was not. */
  exitCode(): ExitCode;
}

/** Makes a recording shell without colours. */
export const recordingShell = (parts: Partial<Pick<Shell, 'env' | 'interactive' | 'columns'>> = {}): RecordingShell => {
  const lines: string[] = [];
  const errors: string[] = [];
  const bars: string[] = [];
  const questions: string[] = [];
  const controller = new AbortController();
  let code: ExitCode = 0;
  const shell: RecordingShell = {
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
    questions,
    answer: undefined,
    async confirm(question) {
      questions.push(question);
      return shell.answer;
    },
    out: (line) => void lines.push(line),
    err: (line) => void errors.push(line),
    progress: (line) => void bars.push(line),
    interrupted: () => controller.signal,
    interrupt: () => controller.abort(),
    fail: (given = 1) => {
      code = given;
    },
    failed: () => code !== 0,
    exitCode: () => code,
  };
  return shell;
};

/** What a program under test says of itself. */
export const testAbout = {
  name: 'tool',
  description: 'A tool under test.',
  version: '0',
  example: 'tool --help',
} as const;
