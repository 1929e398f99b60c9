import { syncSummaryBytes, type SyncSummary } from '@ranger-relay/contracts';
import { printableJson } from '@ranger-relay/terminal';
import { cutText } from '../bundle/labels/cut.ts';

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
