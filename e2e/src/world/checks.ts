import { readFileSync } from 'node:fs';
import type { DeadLetter, SosStep } from '@ranger-relay/contracts';
import { activityProblems, commandProblems } from '@ranger-relay/simulators';
import { commandsTopic, type Entry, type PublishedCommand, tickViolations } from './runs.ts';
import { type ServiceName, serviceTopics } from './services.ts';
import type { Violation } from './truth.ts';
import type { World, WorldOptions } from './world.ts';

const minuteMs = 60_000;

/** A call that sends a text ends after this time at most, ms. */
const sendingMs = 120_000;

/** How long a text is tried, and how much later the last attempt may end, ms. */
const [maxAgeMs, lateMs] = [24 * 60 * minuteMs, 60 * minuteMs];

/** Whether the vendor was down for as long as a text is tried. */
const isExpired = ({ reason, failed_at }: DeadLetter, startMs: number, { faults }: WorldOptions): boolean => {
  const failedAt = Date.parse(failed_at) - startMs;
  const isDown = faults.some(
    ({ kind, target, at, ms }) =>
      kind === 'down' && target === 'inbound' && at + maxAgeMs <= failedAt && failedAt <= at + ms + lateMs,
  );
  return reason === 'push_expired' && isDown;
};

/**
 * Every text was sent, or is a dead letter because nobody knows whether it was or the vendor was down for a day; once, unless something went
 * wrong and the policy is to send it again.
 */
const textViolations = (world: World, options: WorldOptions): Violation[] => {
  const { population, bus, troubles, truth, simulation } = world;
  const { ambiguous } = options;
  // Under `hold` only a claim that the store lost explains a second call.
  const mayRepeat = (at: number, again: number): boolean =>
    ambiguous === 'hold' ? troubles.lostWrites(at - sendingMs, again) : troubles.mayRepeat(at, again);
  const letters = bus
    .reader<DeadLetter>('dead-letters')()
    .filter(({ kind }) => kind === 'push_message' || kind === 'push_envelope');
  const bodies = letters.map(({ body_base64 }) => Buffer.from(body_base64, 'base64').toString());
  const letterOf = (text: string): DeadLetter | undefined =>
    letters[bodies.findIndex((body) => body.includes(`"${text}"`))];
  return population.texts.flatMap(({ id, text }): Violation[] => {
    const about = [id, JSON.stringify(text)];
    const times = truth.timesOf(text);
    const again = times.find((at, n) => n > 0 && !mayRepeat(times[n - 1] as number, at));
    if (again !== undefined) return [{ rule: 'text twice', what: `${text} was sent at ${times.join(', ')}`, about }];
    const letter = letterOf(text);
    if (letter && letter.reason !== 'ambiguous' && !isExpired(letter, simulation.startMs, options))
      return [{ rule: 'given up', what: `${text} was dead-lettered: ${letter.reason}`, about }];
    if (times.length > 0 || letter) return [];
    return [{ rule: 'text lost', what: `${text} was acknowledged, neither sent nor dead-lettered`, about }];
  });
};

/** Metrics that must be zero when everything is done, by service. */
const zeroGauges: Partial<Record<ServiceName, readonly string[]>> = {
  'observation-forwarder': [
    'relay_oldest_unsent_sos_age_seconds',
    'relay_parked_integrations',
    'relay_refusals_held_integrations',
  ],
};

/** After everything is done, every replica is ready and live, and its metrics say so. */
const replicaViolations = async ({ replicas, simulation }: World): Promise<Violation[]> => {
  const violations: Violation[] = [];
  for (const replica of replicas) {
    const context = replica.context();
    const wrong = (what: string): void =>
      void violations.push({ rule: 'stuck', what: `${replica.name} ${what}`, about: [] });
    if (!context) {
      wrong('does not run');
      continue;
    }
    const { ok, failing } = context.health.ready();
    if (!ok) wrong(`is not ready: ${failing.join(', ')}`);
    let text = '';
    void context.metrics.render().then((rendered) => (text = rendered));
    await simulation.run(simulation.clock.monotonic() + minuteMs);
    for (const gauge of zeroGauges[replica.service] ?? []) {
      const value = new RegExp(`^${gauge}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1];
      if (value !== '0') wrong(`says ${gauge} ${value ?? 'nothing'}`);
    }
  }
  return violations;
};

/** Most keys without an expiry for each integration; their number must not grow with what passes through. */
const maxLasting = 50;

/** First parts of the keys that BUDGET.md lists. */
const listedKeys = new Set(
  readFileSync(new URL('../../../BUDGET.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\|[^|]*\| key/.test(line))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([\w-]+)/g)].map(([, kind]) => kind)),
);

const storeViolations = ({ store, population }: World): Violation[] => {
  const keys = store.lasting();
  const unlisted = [...store.kinds()].filter((kind) => !listedKeys.has(kind));
  const noted = unlisted.map((kind): Violation => ({ rule: 'not in BUDGET.md', what: `a key ${kind}`, about: [] }));
  if (keys.length <= maxLasting * (population.parks.length + 1)) return noted;
  return [
    ...noted,
    { rule: 'unbounded', what: `${keys.length} keys never expire: ${keys.slice(0, 5).join(', ')}`, about: [] },
  ];
};

/** Secrets of the world's configurations, which nothing may show. */
const canaries = [/p4ssword/, /relay-secret/, /site-token/, /key-[\da-f]{8}-/] as const;

/** What of a text is a secret. */
export const secretsIn = (text: string, where: string): Violation[] =>
  canaries
    .filter((canary) => canary.test(text))
    .map((canary) => ({
      rule: 'secret',
      what: `${where} shows ${canary.source}: ${text.slice(0, 300)}`,
      about: [],
    }));

/** Everything that the platform would refuse or drop: records in its topics, items and calls of its API. */
const refusedViolations = ({ bus, platform }: World): Violation[] => {
  const records = (topic: string, problemsOf: (record: unknown) => readonly string[]): string[] =>
    bus
      .reader(topic)()
      .flatMap((record) => problemsOf(record).map((problem) => `${topic}: ${problem}`));
  const commands = serviceTopics.filter(({ value }) => value === 'RunActionCommand');
  const all = [
    ...records('integration-events', activityProblems),
    ...commands.flatMap(({ name }) => records(name, commandProblems)),
    ...Object.keys(platform.stats().violations),
  ];
  return [...new Set(all)].map((what) => ({ rule: 'refused by the platform', what, about: [] }));
};

/** How long after it was stored a record is certainly committed in a world without troubles, ms. */
const commitMs = 5 * minuteMs;

/** Everything that is wrong in a world in which everything should be done, and nothing is wrong since `quietMs`, ms since 1970. */
export const violationsOf = async (world: World, options: WorldOptions, quietMs: number): Promise<Violation[]> => {
  const { truth, population, bus, shown, simulation, troubles } = world;
  const endMs = simulation.clock.now();
  const unfinished = bus.unfinished(endMs - commitMs);
  const entries = bus.reader<Entry>('integration-events')();
  const commands = bus.reader<PublishedCommand>(commandsTopic)();
  return [
    ...truth.missing().map(({ kind, source, at }): Violation => ({
      rule: 'lost',
      what:
        kind === 'event'
          ? `${source} is not at the platform in version ${at}`
          : `${kind} of ${source} at ${new Date(at).toISOString()} never reached the platform`,
      about:
        kind === 'event'
          ? [`${source} `]
          : kind === 'call for help'
            ? [source]
            : [new Date(at).toISOString().replace('.000Z', 'Z'), String(at)],
    })),
    ...truth.outdated(),
    ...truth.violations,
    ...truth.sosViolations(bus.reader<SosStep>('sos-log')()),
    ...textViolations(world, options),
    ...(population.waiting()
      ? [{ rule: 'stuck', what: 'a caller still waits for an answer', about: [] } as const]
      : []),
    ...unfinished.map((what): Violation => ({ rule: 'stuck', what: `${what}, are not committed`, about: [] })),
    ...tickViolations({ commands, entries, startMs: simulation.startMs, quietMs, endMs, troubles }),
    ...(await replicaViolations(world)),
    ...storeViolations(world),
    ...shown,
    ...refusedViolations(world),
    ...entries.flatMap((entry) => secretsIn(JSON.stringify(entry), 'an activity entry')),
  ];
};
