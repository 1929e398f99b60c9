import { writeFile } from 'node:fs/promises';
import { type SyncSummary, syncSummaryBytes } from '@ranger-relay/contracts';
import { type ExitCode, printable, printableJson, type Shell } from '@ranger-relay/terminal';
import { cutText } from '../bundle/labels/label.ts';
import { version } from '../program/settings.ts';

/** The summary of a call of which nothing else is known yet. */
export const newSummary = (command: string | null, dryRun: boolean): SyncSummary => ({
  format: 'patrol-datamodel-summary',
  format_version: '1.0',
  tool: `sync-tool ${version}`,
  command,
  dry_run: dryRun,
  outcome: 'done',
  exit: 0,
  reason: null,
  message: null,
  site: null,
  plan_hash: null,
  bundle: null,
  counts: {},
  steps: null,
  failures: [],
  people_deactivated: null,
  record: null,
  checklist: null,
  plan: null,
  report: null,
  problems: { items: [], left_out: 0 },
  open: { items: [], left_out: 0 },
});

/** Code points of one text, once not all of them fit. */
const messageLength = 400;
const itemLength = 160;

const fits = (summary: SyncSummary): boolean => Buffer.byteLength(printableJson(summary)) <= syncSummaryBytes;

/** The largest number up to `most` for which it holds, 0 when it holds for none; what holds for one holds for all below. */
const largest = (most: number, holds: (n: number) => boolean): number => {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

const withMessage = (summary: SyncSummary, length: number): SyncSummary => ({
  ...summary,
  message: length === 0 || summary.message === null ? null : cutText(summary.message, length),
});

const shortTexts = (summary: SyncSummary): SyncSummary => {
  const { problems, open } = summary;
  return {
    ...withMessage(summary, messageLength),
    problems: { ...problems, items: problems.items.map((text) => cutText(text, itemLength)) },
    open: { ...open, items: open.items.map(({ who, text }) => ({ who, text: cutText(text, itemLength) })) },
  };
};

/** The first `n` of a list, and how many are left out by that. */
const firstOf = <Item>(list: { items: Item[]; left_out: number }, n: number): { items: Item[]; left_out: number } => ({
  items: list.items.slice(0, n),
  left_out: list.left_out + Math.max(0, list.items.length - n),
});

/** What a person can find out otherwise goes first. */
const dispensable = ['message', 'site', 'plan', 'checklist', 'report', 'record'] as const;

const without = (summary: SyncSummary, name: (typeof dispensable)[number]): SyncSummary => ({
  ...summary,
  [name]: null,
});

const bareOf = (summary: SyncSummary): SyncSummary => {
  const bare = { ...summary, problems: firstOf(summary.problems, 0), open: firstOf(summary.open, 0) };
  let shrunk = withMessage(
    bare,
    largest(messageLength, (n) => fits(withMessage(bare, n))),
  );
  for (const name of dispensable) if (!fits(shrunk)) shrunk = without(shrunk, name);
  return shrunk;
};

const filled = (bare: SyncSummary, { problems, open }: SyncSummary): SyncSummary => {
  const withProblems = (n: number): SyncSummary => ({ ...bare, problems: firstOf(problems, n) });
  const first = withProblems(largest(problems.items.length, (n) => fits(withProblems(n))));
  const withOpen = (n: number): SyncSummary => ({ ...first, open: firstOf(open, n) });
  return withOpen(largest(open.items.length, (n) => fits(withOpen(n))));
};

/**
 * A summary as JSON of at most `syncSummaryBytes`, harmless for a terminal. Where it does not fit, texts are shortened, then the ends of the
 * lists are left out and counted, then what has another place; how the call ended, the plan's hash and the counts stay.
 */
export const fitSummary = (summary: SyncSummary): string => {
  if (fits(summary)) return printableJson(summary);
  const short = shortTexts(summary);
  return printableJson(filled(bareOf(short), short));
};

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
