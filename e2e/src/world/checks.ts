import type { DeadLetter } from '@ranger-relay/contracts';
import type { ServiceName } from './services.ts';
import type { Violation } from './truth.ts';
import type { World } from './world.ts';

const minuteMs = 60_000;

/** Every text was sent, once unless something went wrong, or it is a dead letter. */
const textViolations = ({ population, inbound, bus }: World, calm: boolean): Violation[] => {
  const times = new Map<string, number>();
  for (const { text } of inbound.messages()) times.set(text, (times.get(text) ?? 0) + 1);
  const letters = bus
    .reader<DeadLetter>('dead-letters')()
    .filter(({ kind }) => kind === 'push_message' || kind === 'push_envelope');
  const bodies = letters.map(({ body_base64 }) => Buffer.from(body_base64, 'base64').toString());
  return population.texts.flatMap(({ id, text }): Violation[] => {
    const count = times.get(text) ?? 0;
    if (count > 1 && calm) return [{ rule: 'text twice', what: `${text} was sent ${count} times`, about: [id] }];
    if (count > 0 || bodies.some((body) => body.includes(`"${id}"`))) return [];
    return [{ rule: 'text lost', what: `${text} was acknowledged, neither sent nor dead-lettered`, about: [id] }];
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

/** Everything that is wrong in a world in which everything should be done. */
export const violationsOf = async (world: World, calm: boolean): Promise<Violation[]> => {
  const { truth, population, bus, shown } = world;
  const entries = bus
    .reader<object>('integration-events')()
    .map((entry) => JSON.stringify(entry));
  return [
    ...truth.missing().map(({ kind, source, at }): Violation => ({
      rule: 'lost',
      what: `${kind} of ${source} at ${new Date(at).toISOString()} never reached the platform`,
      about: [new Date(at).toISOString(), String(at)],
    })),
    ...truth.violations,
    ...textViolations(world, calm),
    ...(population.waiting()
      ? [{ rule: 'stuck', what: 'a caller still waits for an answer', about: [] } as const]
      : []),
    ...(await replicaViolations(world)),
    ...shown,
    ...entries.flatMap((entry) => secretsIn(entry, 'an activity entry')),
  ];
};
