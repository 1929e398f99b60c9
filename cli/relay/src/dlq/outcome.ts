import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import type { Stores } from '../program/stores.ts';
import { createLetterIndex, type LetterHead } from './letters.ts';

/** A dead letter that was sent again. */
export interface Sent {
  readonly head: LetterHead;
  /** Keys of the store that tell what becomes of it; none where only the activity log tells. */
  readonly outcomeKeys: readonly string[];
}

const lookMs = 500;

const stateIn = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { state?: unknown } | null)?.state;
  } catch {
    return undefined;
  }
};

/** An event is marked as done; a text has an entry in the ledger. */
const isTaken = (value: string | null): boolean =>
  value === 'done' || (value !== null && stateIn(value) === 'accepted');

/** What became of a replay; undefined while that is not known. */
const outcomeOf = async (
  { kv }: Stores,
  letters: () => Promise<readonly LetterHead[]>,
  { head, outcomeKeys }: Sent,
): Promise<{ readonly isAccepted: boolean; readonly text: string } | undefined> => {
  const values = await Promise.all(outcomeKeys.map((key) => kv.state.get(key)));
  // Read after the marks: a dead letter is stored before what it is about is marked as done.
  const again = (await letters()).find(({ id, attempts }) => id === head.id && attempts > head.attempts);
  if (again) return { isAccepted: false, text: `refused again: ${again.reason}` };
  return values.every(isTaken) ? { isAccepted: true, text: 'accepted' } : undefined;
};

/** Waits for what becomes of replayed letters and prints it; the command fails unless all are accepted. */
export const tellOutcomes = async (
  shell: Shell,
  stores: Stores,
  sent: readonly Sent[],
  waitMs: number,
): Promise<void> => {
  const { clock } = shell;
  const index = createLetterIndex(stores.bus, clock);
  const start = clock.monotonic();
  const left = new Set(sent.filter(({ outcomeKeys }) => outcomeKeys.length > 0));
  for (const { head, outcomeKeys } of sent)
    if (outcomeKeys.length === 0)
      shell.out(printable(`not known  ${head.id}  ranger-relay activity tells its outcome`));
  for (;;) {
    for (const each of left) {
      const outcome = await outcomeOf(stores, index.heads, each);
      if (!outcome) continue;
      left.delete(each);
      if (!outcome.isAccepted) shell.fail();
      shell.out(
        printable(
          `${outcome.text.padEnd(9)}  ${each.head.id}  after ${humanSpan((clock.monotonic() - start) / 1_000)}`,
        ),
      );
    }
    if (left.size === 0 || clock.monotonic() - start >= waitMs) break;
    await clock.sleep(Math.min(lookMs, waitMs));
  }
  for (const { head } of left) shell.out(printable(`waits      ${head.id}  after ${humanSpan(waitMs / 1_000)}`));
  if (left.size > 0) shell.fail();
};
