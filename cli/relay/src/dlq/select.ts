import type { Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import { epochKey, epochTime, type KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { outstandingLetters, readSosStep } from '@ranger-relay/service';
import { usage } from '@ranger-relay/terminal';
import { createLetterIndex, type LetterHead, type LetterIndex } from './letters.ts';

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

/** Letters that wait for a decision, as far as the store tells. */
export interface Live {
  /** Oldest first. */
  readonly heads: readonly LetterHead[];
  /** Those among them that are older than what the store remembers: a decision before that is not known. */
  readonly doubtful: readonly LetterHead[];
  /** When the memory of the store begins, ms since 1970; `Infinity` for one that was emptied and not used since. */
  readonly storeSince: number;
}

/** Attempts of dead letters when people decided about them last, as the log of SOS tells; none while it cannot be read. */
const decisionsOnLog = async (bus: Pick<Bus, 'read'>): Promise<ReadonlyMap<string, number>> => {
  const decided = new Map<string, number>();
  try {
    for await (const { value } of bus.read({ topic: topics.sosLog.name })) {
      const { step, dead_letter: letter } = readSosStep(value) ?? {};
      if (letter && (step === 'replayed' || step === 'dropped'))
        decided.set(letter.id, Math.max(letter.attempts, decided.get(letter.id) ?? 0));
    }
  } catch (error) {
    if (!isRelayError(error)) throw error;
  }
  return decided;
};

/** Every live letter. What an emptied store forgot is found again where the log of SOS has it. */
export const findLive = async (
  index: Pick<LetterIndex, 'heads'>,
  { bus, state }: Pick<LetterStores, 'state'> & { readonly bus: Pick<Bus, 'read'> },
): Promise<Live> => {
  const [heads, isLive, epoch] = await Promise.all([index.heads(), outstandingLetters(state), state.get(epochKey)]);
  const storeSince = epochTime(epoch);
  const unmarked = heads.filter(isLive);
  const isOlder = ({ stored }: LetterHead): boolean => stored.at < storeSince;
  const decided = unmarked.some(isOlder) ? await decisionsOnLog(bus) : new Map<string, number>();
  const live = unmarked.filter(({ id, attempts }) => (decided.get(id) ?? -1) < attempts);
  return { heads: live, doubtful: live.filter(isOlder), storeSince };
};

/** The matching live letters, and the number of unreadable records of the topic. */
export const liveLetters = async (
  stores: LetterStores,
  filter: LetterFilter = {},
): Promise<Live & { readonly unreadable: number }> => {
  const index = createLetterIndex(stores.bus, stores.clock);
  const { heads, doubtful, storeSince } = await findLive(index, stores);
  const ofFilter = (all: readonly LetterHead[]): readonly LetterHead[] => all.filter((head) => fits(head, filter));
  return { heads: ofFilter(heads), doubtful: ofFilter(doubtful), storeSince, unreadable: index.unreadable() };
};

/** @throws RelayError `usage` unless ids are named or `--all` is given */
export const checkChoice = ({ ids, all, integration, kind, reason }: Choice): void => {
  const hasFilter = [integration, kind, reason].some((value) => value !== undefined);
  const problem =
    (ids.length > 0 && all && 'Name dead letters or pass --all, not both') ||
    (ids.length > 0 && hasFilter && '--integration, --kind and --reason require --all') ||
    (ids.length === 0 && !all && 'Name the ids of dead letters, or pass --all');
  if (problem) throw usage(problem);
};

/** The id that is named whole or by a beginning of its own. @throws RelayError `usage` when several begin so */
export const idOf = (ids: readonly string[], name: string): string | undefined => {
  const [first, ...more] = ids.includes(name) ? [name] : ids.filter((id) => id.startsWith(name));
  if (more.length === 0) return first;
  throw usage(`the ids of ${more.length + 1} dead letters begin with "${name}"; name more of the id`);
};

/** The chosen live letters, oldest first, and the named ids that no live letter has. */
export const chooseLetters = async (
  stores: LetterStores,
  choice: Choice,
): Promise<Live & { readonly unknown: readonly string[] }> => {
  checkChoice(choice);
  const live = await liveLetters(stores, choice);
  const { heads } = live;
  if (choice.all) return { ...live, unknown: [] };
  const ids = heads.map(({ id }) => id);
  const named = new Map(choice.ids.map((name) => [name, idOf(ids, name)]));
  const wanted = new Set(named.values());
  const found = heads.filter(({ id }) => wanted.has(id));
  const unknown = [...named].flatMap(([name, id]) => (id === undefined ? [name] : []));
  return { ...live, heads: found, unknown };
};
