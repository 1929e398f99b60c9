import type { Bus } from '@ranger-relay/bus';
import type { KeyValue } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { createLetterIndex, type LetterHead } from '../dlq/letters.ts';
import { markedLetters } from '@ranger-relay/service';
import { acceptedCounts, later, type AcceptedCount } from './accepted.ts';
import { cached } from './cached.ts';
import type { IntegrationStatus, LastRun, Overview, ServiceStatus, SosCall, TextCounts } from './model.ts';
import { createNames } from './names.ts';
import type { RecentCounts } from './recent-counts.ts';
import { createSosCalls } from './sos-calls.ts';
import { textCounts } from './texts.ts';
import { verdictOf } from './verdict.ts';
import { waitingEvents, type Waiting } from './waiting.ts';

/** What the status is collected from. */
export interface CollectParts {
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** The services of this process; must answer at once. */
  readonly services: () => readonly ServiceStatus[];
  /** Last runs of actions; must answer at once. */
  readonly runs?: () => readonly LastRun[];
  /** What came in the last minute; left out where services cannot be asked. */
  readonly recent?: () => Promise<RecentCounts>;
  readonly clock: Clock;
}

interface Found {
  readonly accepted: ReadonlyMap<string, AcceptedCount>;
  readonly waiting: ReadonlyMap<string, Waiting>;
  /** Live dead letters, oldest first. */
  readonly letters: readonly LetterHead[];
  /** Their numbers by integration; null: of none. */
  readonly letterCounts: ReadonlyMap<string | null, number>;
  readonly texts: TextCounts;
  readonly sos: readonly SosCall[];
  readonly names: ReadonlyMap<string, string | null>;
}

/** Most dead letters that are listed; their numbers count all. */
const maxLetters = 20;

const ageSeconds = (since: number | undefined, now: number): number =>
  since === undefined ? 0 : Math.max(0, Math.round((now - since) / 100) / 10);

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const integrationOf = (
  id: string,
  { accepted, waiting, letterCounts, names }: Found,
  now: number,
): IntegrationStatus => {
  const taken = accepted.get(id);
  const due = waiting.get(id);
  return {
    id,
    name: names.get(id) ?? null,
    accepted_observations: taken?.observations ?? 0,
    accepted_messages: taken?.messages ?? 0,
    last_event_at: later(taken?.last_event_at ?? null, isoOf(due?.newest)),
    oldest_unsent_seconds: ageSeconds(due?.oldest, now),
    parked: due?.parked ?? 0,
    dead_letters: letterCounts.get(id) ?? 0,
  };
};

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, n) => total + n, 0);

const totalsOf = (
  integrations: readonly IntegrationStatus[],
  { waiting, letters, letterCounts }: Found,
): Overview['totals'] => ({
  accepted_observations: sum(integrations.map((i) => i.accepted_observations)),
  accepted_messages: sum(integrations.map((i) => i.accepted_messages)),
  waiting: sum([...waiting.values()].map(({ count }) => count)),
  parked: sum(integrations.map((i) => i.parked)),
  oldest_unsent_seconds: Math.max(0, ...integrations.map((i) => i.oldest_unsent_seconds)),
  dead_letters: letters.length,
  unassigned_dead_letters: letterCounts.get(null) ?? 0,
});

const listed = (letters: readonly LetterHead[]): readonly LetterHead[] =>
  letters
    .toReversed()
    .sort((a, b) => Number(b.sos !== null) - Number(a.sos !== null))
    .slice(0, maxLetters);

const countLetters = (letters: readonly LetterHead[]): Map<string | null, number> => {
  const counts = new Map<string | null, number>();
  for (const { integration_id: owner } of letters) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
};

/**
 * Makes the collector of the status: one result a second at most, however many ask. Services are asked each time.
 * @throws RelayError of bus or store while one of them is away
 */
export const collectStatus = ({
  bus,
  kv,
  services,
  runs = () => [],
  recent,
  clock,
}: CollectParts): (() => Promise<Overview>) => {
  const index = createLetterIndex(bus, clock);
  const sosCalls = createSosCalls(bus, kv.state, clock);
  const namesOf = createNames(kv.config, clock);

  const liveLetters = async (): Promise<readonly LetterHead[]> => {
    const [heads, marked] = await Promise.all([index.heads(), markedLetters(kv.state)]);
    return heads.filter(({ id }) => !marked.has(id));
  };

  const find = cached(async (): Promise<{ found: Found; at: number }> => {
    const at = clock.now();
    const [accepted, waiting, letters, texts] = await Promise.all([
      acceptedCounts(kv.state),
      waitingEvents(bus),
      liveLetters(),
      textCounts(kv.state, at),
    ]);
    const letterCounts = countLetters(letters);
    const sos = await sosCalls.list(letters);
    const ids = [...accepted.keys(), ...waiting.keys(), ...letterCounts.keys()].filter((id) => id !== null);
    const names = await namesOf(new Set([...ids, ...sos.map(({ integration_id: id }) => id)]));
    return { found: { accepted, waiting, letters, letterCounts, texts, sos, names }, at };
  }, clock);

  return async () => {
    const [{ found, at }, counts] = await Promise.all([find(), recent?.()]);
    const { accepted, waiting, letterCounts, letters, texts, sos } = found;
    const ids = new Set([...accepted.keys(), ...waiting.keys(), ...letterCounts.keys()]);
    const integrations = [...ids]
      .filter((id) => id !== null)
      .sort()
      .map((id) => integrationOf(id, found, at));
    const totals = totalsOf(integrations, found);
    const status = { services: [...services()], integrations, texts, runs: [...runs()], sos: [...sos] };
    const verdict = verdictOf({ ...status, totals, recent: counts, now: at });
    return { status: { verdict, ...status }, totals, letters: listed(letters) };
  };
};
