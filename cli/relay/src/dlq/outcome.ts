import type { Bus } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import { deliveredOf } from '@ranger-relay/observation-forwarder';
import { lettersSince, type StoredLetter } from '@ranger-relay/service';
import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import type { Stores } from '../program/stores.ts';
import type { LetterHead } from './letters.ts';

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

const stateIn = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { state?: unknown } | null)?.state;
  } catch {
    return undefined;
  }
};

/** What is recorded of an event. */
export const eventOutcome = async (
  state: Pick<KvSpace, 'get'>,
  event: Parameters<typeof deliveredOf>[1],
): Promise<PartOutcome> => ((await deliveredOf(state, event)) === 'done' ? 'accepted' : undefined);

/** What the ledger says of a text. */
export const textOutcome = async (state: Pick<KvSpace, 'get'>, key: string): Promise<PartOutcome> => {
  const found = stateIn((await state.get(key)) ?? 'null');
  return found === 'accepted' || found === 'failed' ? found : undefined;
};

type Refusal = Pick<StoredLetter, 'id' | 'attempts' | 'reason'>;

/** Of a source event, whose parts may be refused each as a letter of its own. */
const eventIdIn = ({ kind, body_base64: body }: StoredLetter): string | undefined =>
  kind === 'observation' || kind === 'message'
    ? /"event_id":"([^"]+)"/.exec(Buffer.from(body, 'base64').toString('utf8'))?.[1]
    : undefined;

/** Refusals by the letter and by the event that they are about; each look reads only new letters. */
const createRefusals = (bus: Pick<Bus, 'read'>) => {
  const offsets = new Map<number, bigint>();
  const known = new Map<string, Refusal[]>();
  return async ({ head, eventIds }: Sent): Promise<Refusal | undefined> => {
    for await (const { letter } of lettersSince(bus, offsets)) {
      if (!letter) continue;
      const { id, attempts, reason } = letter;
      for (const key of new Set([id, eventIdIn(letter) ?? id]))
        known.set(key, [...(known.get(key) ?? []), { id, attempts, reason }]);
    }
    return [head.id, ...eventIds]
      .flatMap((key) => known.get(key) ?? [])
      .find(({ id, attempts }) => id !== head.id || attempts > head.attempts);
  };
};

/** What became of a replay; undefined while that is not known. */
const outcomeOf = async (
  { kv }: Stores,
  refusalOf: ReturnType<typeof createRefusals>,
  sent: Sent,
): Promise<{ readonly isAccepted: boolean; readonly text: string } | undefined> => {
  const found = sent.outcomes && (await Promise.all(sent.outcomes.map((ask) => ask(kv.state))));
  // Read after them: a dead letter is stored before what it is about is recorded as done.
  const again = await refusalOf(sent);
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
  const refusalOf = createRefusals(stores.bus);
  const start = clock.monotonic();
  const left = new Set(sent);
  for (;;) {
    for (const each of left) {
      const outcome = await outcomeOf(stores, refusalOf, each);
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
