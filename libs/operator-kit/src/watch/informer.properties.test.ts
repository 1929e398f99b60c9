import { fc, testProp } from '@fast-check/ava';
import type { EventFault, RequestFault } from '../testing/api-server/faults.ts';
import { gadget, gadgets, gadgetsPath, startHarness } from '../test/harness.ts';
import { createInformer } from './informer.ts';

type Step =
  | { readonly kind: 'write'; readonly name: string; readonly gone: boolean }
  | { readonly kind: 'event'; readonly fault: EventFault }
  | { readonly kind: 'request'; readonly fault: RequestFault }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'restart' | 'compact' | 'bookmark' | 'end' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      gone: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      fault: fc.constantFrom<EventFault>(
        'cut',
        'twice',
        'repeat',
        'garbage',
        'swallow',
        'gone',
        'error',
        'end',
        'slices',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      fault: fc.constantFrom<RequestFault>(
        { kind: 'status', status: 410, reason: 'Gone' },
        { kind: 'status', status: 429, retryAfter: 3 },
        { kind: 'status', status: 500 },
        { kind: 'status', status: 409, reason: 'Conflict' },
        { kind: 'reset' },
        { kind: 'half' },
        { kind: 'lost' },
        { kind: 'hold' },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 8_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('restart' as const, 'compact' as const, 'bookmark' as const, 'end' as const),
    }),
  },
);

testProp(
  'whatever goes wrong on the way, in the end the cache is what the server has, and what was heard adds up to it',
  [fc.array(step, { maxLength: 25, size: 'max' })],
  async (t, steps) => {
    const teardowns: (() => unknown)[] = [];
    const harness = await startHarness({
      ...t,
      teardown: (end: () => unknown) => void teardowns.push(end),
    } as typeof t);
    const { server, api, clock, context } = harness;
    const { random, log, metrics } = context;
    const informer = createInformer({
      api,
      clock,
      random,
      log,
      metrics,
      resource: gadgets,
      silentMs: 30_000,
      relistMs: 120_000,
    });
    const heard = new Map<string, string>();
    informer.onChange(({ key, object }) =>
      object ? heard.set(key, object.metadata.resourceVersion ?? '') : heard.delete(key),
    );
    informer.start();
    for (const [n, each] of steps.entries()) {
      if (each.kind === 'write') {
        const there = server.store.get('example.test/v1/gadgets', `park/${each.name}`);
        if (!there) server.call('POST', gadgetsPath, gadget(each.name, { n }));
        else if (each.gone) server.call('DELETE', `${gadgetsPath}/${each.name}`);
        else server.call('PATCH', `${gadgetsPath}/${each.name}`, { spec: { n } });
      }
      if (each.kind === 'event') server.faults.onEvent(each.fault);
      if (each.kind === 'request') server.faults.onRequest(each.fault);
      if (each.kind === 'pass') await harness.pass(each.ms, 1_000);
      if (each.kind === 'bookmark') server.watches.bookmark();
      if (each.kind === 'end') server.watches.end();
      if (each.kind === 'compact') server.compact();
      if (each.kind === 'restart') {
        await server.goDown();
        await server.comeUp();
      }
    }
    server.faults.clear();
    const versions = () =>
      server.store.all('example.test/v1/gadgets').map(({ metadata }) => {
        const { name, resourceVersion } = metadata as { name: string; resourceVersion: string };
        return [`park/${name}`, resourceVersion] as [string, string];
      });
    const same = (found: [string, string][]): boolean =>
      JSON.stringify(found.toSorted()) === JSON.stringify(versions().toSorted());
    const cached = (): [string, string][] =>
      informer.cache.values().map(({ metadata }) => [`park/${metadata.name}`, metadata.resourceVersion ?? '']);
    await harness.until(() => informer.synced() && same(cached()), 'the cache agrees', 2_000);
    t.true(same([...heard]));
    t.true(clock.monotonic() < 600_000);
    t.true(server.requests.length <= 12 + 3 * steps.length, `${server.requests.length} for ${steps.length}`);
    await informer.stop();
    for (const end of teardowns.toReversed()) await end();
  },
  { numRuns: 80 },
);
