import type { Bus } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { createLetterIndex, type LetterHead } from './letters.ts';
import { outstandingLetters } from '@ranger-relay/service';

/** Filter of live letters; every given member must match. */
export interface LetterFilter {
  readonly integration?: string | undefined;
  readonly kind?: string | undefined;
  readonly reason?: string | undefined;
}

/** Named letters, or all that match a filter. */
export interface Choice extends LetterFilter {
  readonly ids: readonly string[];
  readonly all: boolean;
}

/** Sources of dead letters. */
export interface LetterStores {
  readonly bus: Bus;
  readonly state: KvSpace;
  readonly clock: Clock;
}

const fits = (head: LetterHead, { integration, kind, reason }: LetterFilter): boolean =>
  (integration === undefined || head.integration_id === integration) &&
  (kind === undefined || head.kind === kind) &&
  (reason === undefined || head.reason === reason);

/** The matching live letters, oldest first, and the number of unreadable records of the topic. */
export const liveLetters = async (
  { bus, state, clock }: LetterStores,
  filter: LetterFilter = {},
): Promise<{ heads: LetterHead[]; unreadable: number }> => {
  const index = createLetterIndex(bus, clock);
  const [heads, isLive] = await Promise.all([index.heads(), outstandingLetters(state)]);
  return { heads: heads.filter((head) => isLive(head) && fits(head, filter)), unreadable: index.unreadable() };
};

/** @throws RelayError `usage` unless ids are named or `--all` is given */
export const checkChoice = ({ ids, all, integration, kind, reason }: Choice): void => {
  const hasFilter = [integration, kind, reason].some((value) => value !== undefined);
  const problem =
    (ids.length > 0 && all && 'Name dead letters or pass --all, not both') ||
    (ids.length > 0 && hasFilter && '--integration, --kind and --reason require --all') ||
    (ids.length === 0 && !all && 'Name the ids of dead letters, or pass --all');
  if (problem) throw new RelayError('usage', { details: { problem } });
};

/** The chosen live letters, oldest first, and the named ids that no live letter has. */
export const chooseLetters = async (
  stores: LetterStores,
  choice: Choice,
): Promise<{ heads: LetterHead[]; unknown: string[] }> => {
  checkChoice(choice);
  const { heads } = await liveLetters(stores, choice);
  if (choice.all) return { heads, unknown: [] };
  const named = new Set(choice.ids);
  const found = heads.filter(({ id }) => named.has(id));
  for (const { id } of found) named.delete(id);
  return { heads: found, unknown: [...named] };
};
