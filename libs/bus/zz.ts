import { temporaryBus } from '@ranger-relay/bus/testing';
import { testContext } from '@ranger-relay/runtime/testing';
const ends: (() => unknown)[] = [];
const { bus, path } = await temporaryBus({ teardown: (f) => ends.unshift(f) } as never);
const v = 'x'.repeat(500);
let c0 = process.cpuUsage(),
  t0 = performance.now(),
  n = 0;
const N = 100000;
await Promise.all(
  Array.from({ length: 64 }, async () => {
    while (n < N) {
      n++;
      await bus.publish('source-events', [{ key: 'abc:' + (n % 997), value: v }]);
    }
  }),
);
let c = process.cpuUsage(c0),
  ms = performance.now() - t0;
console.log('publish', ((n / ms) * 1000).toFixed(0), '/s', ((c.user + c.system) / n).toFixed(1), 'us cpu per publish');
c0 = process.cpuUsage();
t0 = performance.now();
let got = 0;
const done = Promise.withResolvers<void>();
const s = await bus.consume({
  topic: 'source-events',
  group: 'g',
  lane: (r) => r.key.slice(0, 3),
  handle: async (b) => {
    got += b.records.length;
    if (got >= n) done.resolve();
    return b.records.map(() => ({ kind: 'done' }));
  },
});
await done.promise;
await s.close();
c = process.cpuUsage(c0);
ms = performance.now() - t0;
console.log('drain', got, ((got / ms) * 1000).toFixed(0), '/s', ((c.user + c.system) / got).toFixed(1), 'us');
const subs = [];
for (let i = 0; i < 4; i++)
  subs.push(
    await bus.consume({
      topic: 'source-events',
      group: 'g' + i,
      from: 'latest',
      handle: async (b) => b.records.map(() => ({ kind: 'done' as const })),
    }),
  );
await new Promise((r) => setTimeout(r, 3000));
c0 = process.cpuUsage();
await new Promise((r) => setTimeout(r, 10000));
c = process.cpuUsage(c0);
console.log(
  'idle cpu %',
  (((c.user + c.system) / 10e6) * 100).toFixed(2),
  'rss',
  (process.memoryUsage.rss() / 1e6).toFixed(0),
);
t0 = performance.now();
const p = await bus.pending('source-events', 'nobody');
console.log('pending', p.length, (performance.now() - t0).toFixed(0), 'ms');
for (const e of ends) await e();
