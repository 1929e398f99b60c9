import { jsonOf } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import { deliveredOf } from '@ranger-relay/observation-forwarder';
import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import type { Stores } from '../program/stores.ts';
import { createLetterIndex, type LetterHead, type LetterIndex } from './letters.ts';

/** What became of an event or a text; undefined while that is not known. */
type PartOutcome = 'accepted' | 'failed' | undefined;

/** A dead letter that was sent again. */
export interface Sent {
  readonly head: LetterHead;
  /** Ask the store what became of its parts; null where only the activity log tells. */
  readonly outcomes: readonly ((state: Pick<KvSpace, 'get'>) => Promise<PartOutcome>)[] | null;
  /** The events that it was sent as. */
  readonly eventIds: readonly string[];
}

const lookMs = 500;

/** What is recorded of an event. */
export const eventOutcome = async (
  state: Pick<KvSpace, 'get'>,
  event: Parameters<typeof deliveredOf>[1],
): Promise<PartOutcome> => ((await deliveredOf(state, event)) === 'done' ? 'accepted' : undefined);

/** What the ledger says of a text. */
export const textOutcome = async (state: Pick<KvSpace, 'get'>, key: string): Promise<PartOutcome> => {
  const { state: found } = (jsonOf((await state.get(key)) ?? 'null') ?? {}) as { readonly state?: unknown };
  return found === 'accepted' || found === 'failed' ? found : undefined;
};

/** The refusal of a letter that was replayed, or of an event that it was sent as. */
const refusedAgain = async (index: Pick<LetterIndex, 'refusals'>, { head, eventIds }: Sent) =>
  (await index.refusals()).find(({ id, attempts, stored: { event } }) =>
    id === head.id ? attempts > head.attempts : eventIds.includes(id) || eventIds.includes(event ?? id),
  );

/** What became of a replay; undefined while that is not known. */
const outcomeOf = async (
  { kv }: Stores,
  index: LetterIndex,
  sent: Sent,
): Promise<{ readonly isAccepted: boolean; readonly text: string } | undefined> => {
  const found = sent.outcomes && (await Promise.all(sent.outcomes.map((ask) => ask(kv.state))));
  // Read after them: a dead letter is stored before what it is about is recorded as done.
  const again = await refusedAgain(index, sent);
  if (again) return { isAccepted: false, text: `refused again: ${again.reason}` };
  if (found?.includes('failed')) return { isAccepted: false, text: 'refused again' };
  return found?.every((each) => each === 'accepted') ? { isAccepted: true, text: 'accepted' } : undefined;
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
  const left = new Set(sent);
  for (;;) {
    for (const each of left) {
      const outcome = await outcomeOf(stores, index, each);
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
  const waited = humanSpan(waitMs / 1_000);
  for (const { head, outcomes } of left)
    shell.out(
      printable(
        outcomes
          ? `waits      ${head.id}  after ${waited}`
          : `not known  ${head.id}  after ${waited}; ranger-relay activity tells its outcome`,
      ),
    );
  if (left.size > 0) shell.fail();
};
