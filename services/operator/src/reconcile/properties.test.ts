import { fc } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import type { KubeObject } from '../kube/object.ts';
import type { Caches } from './caches.ts';
import type { Fate } from '../test/tool.ts';
import { checkSettled, watchInvariants } from '../test/invariants.ts';
import { startHarness, type Kill, type Harness } from '../test/harness.ts';

/** Something that happens. */
type Event =
  | {
      readonly kind:
        | 'look'
        | 'proceed'
        | 'stale'
        | 'both'
        | 'approve'
        | 'approve old'
        | 'auto'
        | 'withdraw'
        | 'run'
        | 'bundle'
        | 'drift';
    }
  | {
      readonly kind:
        | 'suspend'
        | 'go on'
        | 'delete job'
        | 'sweep'
        | 'remember'
        | 'secret away'
        | 'lease away'
        | 'secret there'
        | 'roll back';
    }
  | { readonly kind: 'killed'; readonly kill: Kill }
  | { readonly kind: 'end'; readonly fate: Fate }
  | { readonly kind: 'time'; readonly ms: number }
  /** Two operators at once, of which one has old copies of these kinds. */
  | { readonly kind: 'mixed'; readonly old: readonly (keyof Caches)[] };

const often = fc.constantFrom({ kind: 'look' } as const, { kind: 'proceed' } as const);
const kill = fc.record({
  call: fc.integer({ min: 1, max: 4 }),
  when: fc.constantFrom('before' as const, 'after' as const),
});
const fate = fc.constantFrom<Fate>(
  'ok',
  'ok',
  'ok',
  'fails',
  'broken',
  'refused',
  'evicted early',
  'evicted midway',
  'evicted late',
);
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 12, arbitrary: often },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('killed' as const), kill }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('end' as const), fate }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('mixed' as const),
      old: fc.subarray<keyof Caches>(['syncs', 'rollbacks', 'jobs', 'pods', 'siteLocks'], { minLength: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('time' as const),
      ms: fc.constantFrom(30_000, 120_000, 90_000_000, -7_200_000),
    }),
  },
  {
    weight: 10,
    arbitrary: fc
      .constantFrom(
        'stale' as const,
        'both' as const,
        'approve' as const,
        'approve' as const,
        'approve old' as const,
        'auto' as const,
        'withdraw' as const,
        'run' as const,
        'bundle' as const,
        'drift' as const,
        'suspend' as const,
        'go on' as const,
        'delete job' as const,
        'sweep' as const,
        'remember' as const,
        'secret away' as const,
        'lease away' as const,
        'secret there' as const,
        'roll back' as const,
      )
      .map((kind) => ({ kind })),
  },
);

const name = 'north';
const onlyLooks = ({ metadata }: KubeObject): boolean =>
  ['plan', 'verify', 'undo-plan'].includes(metadata.labels?.['ranger-relay.dev/command'] ?? '');
const secretPath = '/api/v1/namespaces/park/secrets';

/** Whoever plays all that happens beside the operator. */
const player = (harness: Harness) => {
  let old: Caches = harness.caches();
  let runs = 0;
  let backs = 0;
  const hashes: string[] = [];
  const hasSecret = (): boolean => harness.server.store.get('v1/secrets', 'park/site') !== undefined;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'site', namespace: 'park', labels: { 'ranger-relay.dev/site': 'site.example' } },
    data: { token: 'eA==' },
  };

  const rollBack = (): void => {
    const record = harness.sync(name).status?.lastRun?.record;
    if (record !== undefined && backs < 2) harness.rollBack(`back-${(backs += 1)}`, name, [record]);
  };

  const others: Readonly<Record<string, () => unknown>> = {
    look: () => harness.reconcile(),
    async proceed() {
      for (let n = 0; n < 5; n += 1) {
        await harness.reconcile();
        harness.startPods();
        for (const job of harness.running()) if (onlyLooks(job)) harness.finish(job, 'ok');
      }
    },
    stale: () => harness.reconcile(undefined, old),
    both: () => Promise.all([harness.reconcile(undefined, old), harness.reconcile()]),
    approve: () => harness.edit(name, { approve: harness.sync(name).status?.plan?.hash ?? null }),
    'approve old': () => harness.edit(name, { approve: hashes[0] ?? null }),
    auto: () => harness.edit(name, { approve: 'auto' }),
    withdraw: () => harness.edit(name, { approve: null }),
    run: () => harness.annotate(name, String((runs += 1))),
    bundle: () => (harness.site.bundle += 1),
    drift: () => (harness.site.others += 1),
    suspend: () => harness.edit(name, { suspend: true }),
    'go on': () => harness.edit(name, { suspend: false }),
    'delete job': () => harness.running().slice(0, 1).forEach(harness.deleteJob),
    sweep: harness.sweep,
    remember: () => (old = harness.caches()),
    'secret away': () => hasSecret() && harness.server.call('DELETE', `${secretPath}/site`),
    'lease away': () => {
      for (const { metadata } of harness.objects('coordination.k8s.io/v1/leases'))
        if (harness.running().length === 0)
          harness.server.call('DELETE', `/apis/coordination.k8s.io/v1/namespaces/operators/leases/${metadata.name}`);
    },
    'secret there': () => hasSecret() || harness.server.call('POST', secretPath, secret),
    'roll back': rollBack,
  };

  return {
    async play(event: Event): Promise<void> {
      const hash = harness.sync(name).status?.plan?.hash;
      if (hash !== undefined) hashes.push(hash);
      harness.startPods();
      if (event.kind === 'killed') await harness.reconcile(event.kill);
      else if (event.kind === 'end') harness.running().forEach((job) => harness.finish(job, event.fate));
      else if (event.kind === 'time') harness.pass(event.ms);
      else if (event.kind === 'mixed') {
        const mixed = { ...harness.caches(), ...Object.fromEntries(event.old.map((name) => [name, old[name]])) };
        await Promise.all([harness.reconcile(undefined, mixed), harness.reconcile()]);
      } else await others[event.kind]?.();
      harness.pass(1_000);
    },
    async repair(): Promise<void> {
      if (!hasSecret()) harness.server.call('POST', secretPath, secret);
    },
  };
};

const play = async (t: ExecutionContext, events: readonly Event[]): Promise<void> => {
  const ends: (() => unknown)[] = [];
  const harness = await startHarness({ teardown: (end) => void ends.push(end) });
  try {
    watchInvariants(t, harness);
    harness.make(name, { keepRuns: 1 });
    harness.make('south', { approve: 'auto' });
    const person = player(harness);
    for (const event of events) await person.play(event);
    await person.repair();
    await harness.settle();
    for (const each of [name, 'south']) checkSettled(t, harness, each);
  } finally {
    for (const end of ends) await end();
  }
};

test('whatever happens in whatever order, a plan is applied once at most, with its yes, and everything settles', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 45, size: 'max' }), async (events) => {
      let failed: string | undefined;
      const watching = new Proxy(t, {
        get: (target, member) =>
          ['true', 'false', 'is'].includes(String(member))
            ? (value: unknown, ...rest: readonly unknown[]) => {
                const [wanted, text] = member === 'is' ? rest : [member === 'true', rest[0]];
                if (!Object.is(value, wanted)) failed ??= `${String(text)}: ${String(value)} is not ${String(wanted)}`;
              }
            : Reflect.get(target, member),
      });
      await play(watching, events);
      if (failed !== undefined) throw new Error(failed);
    }),
    { numRuns: Number(process.env['FC_RUNS'] ?? 25), includeErrorInReport: true },
  );
  t.pass();
});
