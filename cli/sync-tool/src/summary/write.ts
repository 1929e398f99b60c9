import { writeFile } from 'node:fs/promises';
import type { SyncSummary } from '@ranger-relay/contracts';
import { printable, type ExitCode, type Shell } from '@ranger-relay/terminal';
import { fitSummary } from './fit.ts';
import { newSummary } from './new-summary.ts';

/** What a command knows of itself before it has come to its end. */
export type Facts = Partial<
  Omit<SyncSummary, 'format' | 'format_version' | 'tool' | 'command' | 'dry_run' | 'outcome' | 'exit' | 'reason'>
>;

/** Takes down what a command knows; what is told later replaces what was told before. */
export type Note = (facts: Facts) => void;

/** A call that has come to its end. */
export interface Ended {
  /** Words of the command; null when the call named none. */
  readonly command: string | null;
  readonly dryRun: boolean;
  readonly code: ExitCode;
  /** From the error registry. */
  readonly reason: string | null;
  readonly facts: Facts;
}

const outcomes: Readonly<Record<ExitCode, SyncSummary['outcome']>> = {
  0: 'done',
  1: 'failed',
  2: 'usage',
  130: 'interrupted',
};

/** Writes how a call ended, in place: the file may be one that is mounted. What cannot be written is said, and changes nothing else. */
export const writeSummary = async (shell: Shell, path: string, ended: Ended): Promise<void> => {
  const { command, dryRun, code, reason, facts } = ended;
  const summary = { ...newSummary(command, dryRun), ...facts, outcome: outcomes[code], exit: code, reason };
  try {
    await writeFile(path, fitSummary(summary));
  } catch (error) {
    shell.err(printable(`The summary was not written to ${path}: ${(error as Error).message}`));
  }
};
