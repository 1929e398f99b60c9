import { writeFile } from 'node:fs/promises';
import { type SyncSummary, syncSummaryBytes } from '@ranger-relay/contracts';
import { type ExitCode, printable, printableJson, type Shell } from '@ranger-relay/terminal';
import { cutText } from '../bundle/labels/label.ts';
import { version } from '../program/flags.ts';

/** The initial summary of a call, without any facts. */
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
  verdict: null,
  record: null,
  checklist: null,
  plan: null,
  report: null,
  problems: { items: [], left_out: 0 },
  open: { items: [], left_out: 0 },
});

/** Maximum code points of one text when the summary is too large. */
const messageLength = 400;
const itemLength = 160;
/** More items of a list hardly ever fit. */
const maxItems = 200;

const fits = (summary: SyncSummary): boolean => Buffer.byteLength(printableJson(summary)) <= syncSummaryBytes;

const cutMessage = (message: string | null, length: number): string | null =>
  length === 0 || message === null ? null : cutText(message, length);

/** The first `n` items of a list, and the number of omitted items. */
const firstOf = <Item>(list: { items: Item[]; left_out: number }, n: number): { items: Item[]; left_out: number } => ({
  items: list.items.slice(0, n),
  left_out: list.left_out + Math.max(0, list.items.length - n),
});

const shortTexts = (summary: SyncSummary): SyncSummary => {
  const { message, problems, open } = summary;
  return {
    ...summary,
    message: cutMessage(message, messageLength),
    problems: firstOf({ ...problems, items: problems.items.map((text) => cutText(text, itemLength)) }, maxItems),
    open: firstOf(
      { ...open, items: open.items.map(({ who, text }) => ({ who, text: cutText(text, itemLength) })) },
      maxItems,
    ),
  };
};

/** Members in the order of removal: those that are also available elsewhere go first. */
const dispensable = ['verdict', 'site', 'plan', 'checklist', 'report', 'record'] as const;

/**
 * Formats a summary as JSON of at most `syncSummaryBytes`, safe for a terminal. If it is too large, texts are shortened, then the ends of
 * lists are omitted and counted, then members that are available elsewhere are removed; the result of the call, the plan's hash and the
 * counts always stay.
 */
export const fitSummary = (summary: SyncSummary): string => {
  if (fits(summary)) return printableJson(summary);
  const short = shortTexts(summary);
  for (const list of [short.open, short.problems])
    while (!fits(short) && list.items.length > 0) Object.assign(list, firstOf<unknown>(list, list.items.length - 1));
  const { message } = short;
  for (let n = messageLength; n > 0 && !fits(short); n -= 1) short.message = cutMessage(message, n - 1);
  for (const name of dispensable) if (!fits(short)) short[name] = null;
  return printableJson(short);
};

/** The facts that a command knows before it ends. */
export type Facts = Partial<
  Omit<SyncSummary, 'format' | 'format_version' | 'tool' | 'command' | 'dry_run' | 'outcome' | 'exit' | 'reason'>
>;

/** Records facts of a command; later facts replace earlier ones. */
export type Note = (facts: Facts) => void;

/** A completed call. */
export interface Ended {
  /** Words of the command; null when the call named none. */
  readonly command: string | null;
  readonly dryRun: boolean;
  readonly code: ExitCode;
  /** Error code from the registry. */
  readonly reason: string | null;
  readonly facts: Facts;
}

const outcomes: Readonly<Record<ExitCode, SyncSummary['outcome']>> = {
  0: 'done',
  1: 'failed',
  2: 'usage',
  3: 'done',
  130: 'interrupted',
};

/** Writes the summary in place, because the file may be a mount. If writing fails, a message is printed and nothing else changes. */
export const writeSummary = async (shell: Shell, path: string, ended: Ended): Promise<void> => {
  const { command, dryRun, code, reason, facts } = ended;
  const summary = { ...newSummary(command, dryRun), ...facts, outcome: outcomes[code], exit: code, reason };
  try {
    await writeFile(path, fitSummary(summary));
  } catch (error) {
    shell.err(printable(`The summary was not written to ${path}: ${(error as Error).message}`));
  }
};
