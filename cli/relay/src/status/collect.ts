import type { Bus } from '@ranger-relay/bus';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { outstandingLetters } from '@ranger-relay/service';
import { z } from 'zod';
import { createLetterIndex, type LetterHead } from '../dlq/letters.ts';
import { createNames, named } from '../sos/names.ts';
import type { SosCall } from '../sos/model.ts';
import { createSosReader } from '../sos/read.ts';
import { type AcceptedCount, acceptedCounts, later } from './accepted.ts';
import type { IntegrationStatus, LastRun, Overview, ServiceStatus, TextCounts } from './model.ts';
import type { RecentCounts } from './recent-counts.ts';
import { verdictOf } from './verdict.ts';
import { type Waiting, waitingEvents } from './waiting.ts';

const prefix = 'push.';

const textSchema = z.looseObject({
  state: z.enum(['pending', 'sending', 'accepted', 'failed', 'unknown']),
  updated_at: z.string(),
  first_seen_at: z.string().optional(),
  /** A copy under the key of the previous release is not a separate text. */
  copy_of: z.undefined().optional(),
});

const parse = (text: string): z.infer<typeof textSchema> | undefined => {
  try {
    return textSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/**
 * Counts texts to devices in the ledger of the message pusher (`push.…`), one for each device; it holds eight days.
 * @throws RelayError `kv_unavailable`
 */
export const textCounts = async (state: KvSpace, now: number): Promise<TextCounts> => {
  const counts = { accepted: 0, failed: 0, pending: 0, unknown: 0 };
  let oldest = now;
  for (const { value } of await state.list(prefix)) {
    const entry = parse(value);
    if (!entry) continue;
    const kind = entry.state === 'sending' ? 'pending' : entry.state;
    counts[kind] += 1;
    const since = Date.parse(entry.first_seen_at ?? entry.updated_at);
    if ((kind === 'pending' || kind === 'unknown') && since < oldest) oldest = since;
  }
  return { ...counts, oldest_undecided_seconds: Math.round((now - oldest) / 100) / 10 };
};

const leastMs = 1_000;
/** Collecting may take at most a tenth of the time. */
const rest = 10;

/** Shares one result among all calls within a second (longer when computing it took long), and computes one at a time. Failures are not kept. */
export const cached = <T>(make: () => Promise<T>, clock: Clock): (() => Promise<T>) => {
  let current: Promise<T> | undefined;
  let freshUntil = Infinity;

  const renew = async (): Promise<T> => {
    const start = clock.monotonic();
    freshUntil = Infinity;
    try {
      const made = await make();
      freshUntil = clock.monotonic() + Math.max(leastMs, (clock.monotonic() - start) * rest);
      return made;
    } catch (error) {
      current = undefined;
      throw error;
    }
  };

  return () => {
    if (!current || clock.monotonic() >= freshUntil) current = renew();
    return current;
  };
};

/** Sources of the status. */
interface CollectDependencies {
  readonly bus: Bus;
  readonly kv: KeyValue;
  /** The services of this process; must answer at once. */
  readonly services: () => readonly ServiceStatus[];
  /** Last runs of actions; must answer at once. */
  readonly runs?: () => readonly LastRun[];
  /** Counts of the last minute; left out when the services are in other processes. */
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
}: CollectDependencies): (() => Promise<Overview>) => {
  const index = createLetterIndex(bus, clock);
  const sosReader = createSosReader(bus, index, clock);
  const namesOf = createNames(kv.config, clock);

  const liveLetters = async (): Promise<readonly LetterHead[]> => {
    const [heads, isLive] = await Promise.all([index.heads(), outstandingLetters(kv.state)]);
    return heads.filter(isLive);
  };

  const find = cached(async (): Promise<{ found: Found; at: number }> => {
    const at = clock.now();
    const [accepted, waiting, letters, texts, { calls }] = await Promise.all([
      acceptedCounts(kv.state),
      waitingEvents(bus),
      liveLetters(),
      textCounts(kv.state, at),
      sosReader.read(),
    ]);
    const letterCounts = countLetters(letters);
    const ids = [...accepted.keys(), ...waiting.keys(), ...letterCounts.keys()].filter((id) => id !== null);
    const [names, sos] = await Promise.all([namesOf(new Set(ids)), named(calls, namesOf)]);
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
