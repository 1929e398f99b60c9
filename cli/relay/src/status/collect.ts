import type { Bus } from '@ranger-relay/bus';
import type { KeyValue } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { createLetterIndex } from '../dlq/letters.ts';
import { markedLetters } from '../dlq/marks.ts';
import { acceptedCounts, later, type AcceptedCount } from './accepted.ts';
import { cached } from './cached.ts';
import type { IntegrationStatus, LastRun, Overview, ServiceStatus, TextCounts } from './model.ts';
import { textCounts } from './texts.ts';
import { waitingEvents, type Waiting } from './waiting.ts';

/** What the status is collected from. */
export interface CollectParts {
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** The services of this process; must answer at once. */
  readonly services: () => readonly ServiceStatus[];
  /** Last runs of actions; must answer at once. */
  readonly runs?: () => readonly LastRun[];
  readonly clock: Clock;
}

interface Found {
  readonly accepted: ReadonlyMap<string, AcceptedCount>;
  readonly waiting: ReadonlyMap<string, Waiting>;
  /** Live dead letters by integration; null: of none. */
  readonly letters: ReadonlyMap<string | null, number>;
  readonly texts: TextCounts;
}

const ageSeconds = (since: number | undefined, now: number): number =>
  since === undefined ? 0 : Math.max(0, Math.round((now - since) / 100) / 10);

const isoOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const integrationOf = (id: string, { accepted, waiting, letters }: Found, now: number): IntegrationStatus => {
  const taken = accepted.get(id);
  const due = waiting.get(id);
  return {
    id,
    accepted_observations: taken?.observations ?? 0,
    accepted_messages: taken?.messages ?? 0,
    last_event_at: later(taken?.last_event_at ?? null, isoOf(due?.newest)),
    oldest_unsent_seconds: ageSeconds(due?.oldest, now),
    parked: due?.parked ?? 0,
    dead_letters: letters.get(id) ?? 0,
  };
};

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, n) => total + n, 0);

const totalsOf = (integrations: readonly IntegrationStatus[], { waiting, letters }: Found): Overview['totals'] => ({
  accepted_observations: sum(integrations.map((i) => i.accepted_observations)),
  accepted_messages: sum(integrations.map((i) => i.accepted_messages)),
  waiting: sum([...waiting.values()].map(({ count }) => count)),
  parked: sum(integrations.map((i) => i.parked)),
  oldest_unsent_seconds: Math.max(0, ...integrations.map((i) => i.oldest_unsent_seconds)),
  dead_letters: sum(letters.values()),
  unassigned_dead_letters: letters.get(null) ?? 0,
});

const overviewOf = (
  services: readonly ServiceStatus[],
  runs: readonly LastRun[],
  found: Found,
  now: number,
): Overview => {
  const ids = new Set([...found.accepted.keys(), ...found.waiting.keys(), ...found.letters.keys()]);
  const integrations = [...ids]
    .filter((id) => id !== null)
    .sort()
    .map((id) => integrationOf(id, found, now));
  return {
    status: { services: [...services], integrations, texts: found.texts, runs: [...runs] },
    totals: totalsOf(integrations, found),
  };
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
  clock,
}: CollectParts): (() => Promise<Overview>) => {
  const index = createLetterIndex(bus, clock);

  const liveLetters = async (): Promise<Map<string | null, number>> => {
    const [heads, marked] = await Promise.all([index.heads(), markedLetters(kv.state)]);
    const counts = new Map<string | null, number>();
    for (const { id, integration_id: owner } of heads)
      if (!marked.has(id)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return counts;
  };

  const find = cached(async (): Promise<{ found: Found; at: number }> => {
    const at = clock.now();
    const [accepted, waiting, letters, texts] = await Promise.all([
      acceptedCounts(kv.state),
      waitingEvents(bus),
      liveLetters(),
      textCounts(kv.state, at),
    ]);
    return { found: { accepted, waiting, letters, texts }, at };
  }, clock);

  return async () => {
    const { found, at } = await find();
    return overviewOf(services(), runs(), found, at);
  };
};
