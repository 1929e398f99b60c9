import type { Bus } from '@ranger-relay/bus';
import { jsonOf, toRelayError } from '@ranger-relay/errors';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import { type Accepted, acceptedCounts, later } from '@ranger-relay/observation-forwarder';
import {
  type Clock,
  type Conditions,
  type ConditionState,
  integrationOfCondition,
  mergeConditions,
  sentenceOf,
  shareFlight,
} from '@ranger-relay/runtime';
import { sharedConditions, storeTime } from '@ranger-relay/service';
import { z } from 'zod';
import { createLetterIndex, type LetterHead } from '../dlq/letters.ts';
import { findLive } from '../dlq/select.ts';
import { createNames, labels, named } from '../sos/names.ts';
import type { SosCall } from '../sos/model.ts';
import { readSosList } from '../sos/read.ts';
import type { IntegrationStatus, LastRun, Overview, ServiceStatus, TextCounts } from './model.ts';
import { applyFacts, silentMs, verdictOf } from './verdict.ts';
import { type Waiting, waitingEvents } from './waiting.ts';

const prefix = 'push.';

const textSchema = z.looseObject({
  state: z.enum(['pending', 'sending', 'accepted', 'failed', 'unknown']),
  updated_at: z.string(),
  first_seen_at: z.string().optional(),
});

/**
 * Counts texts to devices in the ledger of the message pusher (`push.…`), one for each device; it holds eight days.
 * @throws RelayError `kv_unavailable`
 */
export const textCounts = async (state: KvSpace, now: number): Promise<TextCounts> => {
  const counts = { accepted: 0, failed: 0, pending: 0, unknown: 0 };
  let oldest = now;
  for (const { value } of await state.list(prefix)) {
    const { data: entry } = textSchema.safeParse(jsonOf(value));
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
  let last: { readonly made: T; readonly until: number } | undefined;
  const renew = shareFlight(async (): Promise<T> => {
    const start = clock.monotonic();
    const made = await make();
    last = { made, until: clock.monotonic() + Math.max(leastMs, (clock.monotonic() - start) * rest) };
    return made;
  });
  return async () => (last && clock.monotonic() < last.until ? last.made : renew());
};

/** Sources of the status. */
interface CollectDependencies {
  readonly bus: ReadableBus;
  readonly kv: KeyValue;
  /** The services of this process, none where they run apart; must answer at once. */
  readonly services: () => readonly ServiceStatus[];
  /** Last runs of actions; must answer at once. */
  readonly runs?: () => readonly LastRun[];
  /** The table of this process. What bus and store show is set and cleared here. */
  readonly conditions: Conditions;
  readonly clock: Clock;
}

interface Found {
  readonly accepted: ReadonlyMap<string, Accepted>;
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
    waiting: due?.count ?? 0,
    sos: due?.sos ?? 0,
    parked: due?.parked ?? 0,
    dead_letters: letterCounts.get(id) ?? 0,
  };
};

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, n) => total + n, 0);

const totalsOf = (integrations: readonly IntegrationStatus[], { waiting, letters }: Found): Overview['totals'] => ({
  accepted_observations: sum(integrations.map((i) => i.accepted_observations)),
  accepted_messages: sum(integrations.map((i) => i.accepted_messages)),
  waiting: sum([...waiting.values()].map(({ count }) => count)),
  parked: sum(integrations.map((i) => i.parked)),
  oldest_unsent_seconds: Math.max(0, ...integrations.map((i) => i.oldest_unsent_seconds)),
  dead_letters: letters.length,
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
 * The services that write to the store, where nobody tells of them: ready while they do, unless they say otherwise.
 * @param now time of the store, ms since 1970
 */
const writingServices = (
  lastWrites: ReadonlyMap<string, number>,
  states: readonly ConditionState[],
  now: number,
): ServiceStatus[] =>
  [...lastWrites].sort().map(([name, at]) => {
    const failing = states.flatMap((state) =>
      state.name === 'service_not_ready' && state.subject.split('@')[0] === name ? [sentenceOf(state)] : [],
    );
    return { name, ready: failing.length === 0 && now - at < silentMs, failing };
  });

/** What the status reads of a bus. */
export type ReadableBus = Pick<Bus, 'read' | 'pending' | 'topicProblems'>;

/** A bus of which each topic that cannot be used holds nothing, which its condition says: the rest of the status does not wait for it. */
const readable = (bus: ReadableBus, conditions: Conditions): ReadableBus => {
  const forgive = (topic: string, error: unknown): void => {
    const problem = bus.topicProblems().find((each) => each.topic === topic)?.problem;
    const { code, message } = toRelayError(error);
    const isMissing = code === 'bus_topic_unknown';
    if (problem === undefined && !isMissing && code !== 'bus_unavailable') throw error;
    const why = problem ?? (isMissing ? 'it does not exist' : message);
    const reason = `${why}; what it holds is not shown here`;
    conditions.set('topic_unavailable', topic, { reason, code: problem === undefined ? code : '' });
  };
  return {
    ...bus,
    async pending(topic, group) {
      try {
        return await bus.pending(topic, group);
      } catch (error) {
        forgive(topic, error);
        return [];
      }
    },
    async *read(wanted) {
      try {
        yield* bus.read(wanted);
      } catch (error) {
        forgive(wanted.topic, error);
      }
    },
  };
};

/**
 * Makes the collector of the status: one result a second at most, however many ask. Services and the table of this process are asked each time.
 * @throws RelayError of bus or store while one of them is away
 */
export const collectStatus = ({
  bus: given,
  kv,
  services,
  runs = () => [],
  conditions,
  clock,
}: CollectDependencies): (() => Promise<Overview>) => {
  const bus = readable(given, conditions);
  const index = createLetterIndex(bus, clock);
  const namesOf = createNames(kv.config, clock);

  const find = cached(async () => {
    const at = clock.now();
    const [accepted, waiting, { heads: letters }, texts, { calls }, { views, lastWrites, dismissed }, storeNow] =
      await Promise.all([
        acceptedCounts(kv.state),
        waitingEvents(bus),
        findLive(index, { bus, state: kv.state }),
        textCounts(kv.state, at),
        readSosList(bus, index, clock),
        sharedConditions(kv, at),
        storeTime(kv, clock),
      ]);
    const letterCounts = countLetters(letters);
    const ids = new Set([...accepted.keys(), ...waiting.keys(), ...letterCounts.keys()].filter((id) => id !== null));
    const [names, sos] = await Promise.all([namesOf(ids), named(calls, namesOf)]);
    const found: Found = { accepted, waiting, letters, letterCounts, texts, sos, names };
    const integrations = [...ids].sort().map((id) => integrationOf(id, found, at));
    applyFacts(conditions, {
      integrations: [...integrations],
      sos: [...sos],
      texts,
      totals: totalsOf(integrations, found),
      lettersSince: letters[0] ? Date.parse(letters[0].failed_at) : at,
      lastWrites,
      storeNow,
      dismissed,
      now: at,
    });
    return { found, integrations, views, lastWrites, storeNow, at };
  }, clock);

  return async () => {
    const { found, integrations, views, lastWrites, storeNow, at } = await find();
    const states = mergeConditions([...views, conditions.view()]);
    const subjects = states.flatMap(({ name, subject }) => integrationOfCondition(name, subject) ?? []);
    const names = new Map([...found.names, ...(await namesOf(new Set(subjects)))]);
    const told = services();
    const running = told.length > 0 ? told : writingServices(lastWrites, states, storeNow);
    const totals = totalsOf(integrations, found);
    const verdict = verdictOf({
      conditions: states,
      integrations: [...integrations],
      nameOf: labels(names),
      services: [...running],
      waiting: totals.waiting,
      now: Math.max(at, clock.now()),
    });
    const { texts, sos, letters, letterCounts } = found;
    const status = {
      verdict,
      services: [...running],
      integrations: [...integrations],
      texts,
      runs: [...runs()],
      sos: [...sos],
      unassigned_dead_letters: letterCounts.get(null) ?? 0,
    };
    return { status, totals, letters: listed(letters) };
  };
};
