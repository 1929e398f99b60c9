import test from 'ava';
import type { MetricSpec } from './metrics.ts';
import { createMetrics, metricList } from './index.ts';

const list: [string, MetricSpec][] = Object.entries(metricList);

// `stale`, `leader`, `ready` and `running` are the units of switches: 1 while they hold; `info` is always 1 and says what its labels say.
test('names are relay_<noun>_<unit>, with the unit that fits the kind', (t) => {
  for (const [name, { kind }] of list) {
    t.regex(name, /^relay(_[a-z]+)+$/);
    t.regex(
      name,
      kind === 'counter'
        ? /_total$/
        : /_(seconds|bytes|records|partitions|integrations|objects|letters|ratio|stale|leader|ready|running|info|conditions)$/,
      name,
    );
  }
});

test('each says in words what it counts; labels are words, and few', (t) => {
  for (const [name, { help, labels }] of list) {
    t.true(help.length > 10 && !help.includes('\n'), name);
    t.true(labels.length <= 3, name);
    for (const label of labels) t.regex(label, /^[a-z_]+$/, name);
  }
});

test('no label carries what is without bound or private', (t) => {
  for (const [name, { labels }] of list)
    for (const label of labels) t.notRegex(label, /imei|integration|source|device|path|text|id$/, `${name} ${label}`);
});

test('buckets rise', (t) => {
  for (const [name, { buckets = [] }] of list)
    t.deepEqual(
      [...buckets],
      buckets.toSorted((a, b) => a - b),
      name,
    );
});

const specs = {
  relay_a_total: { kind: 'counter', help: 'A', labels: ['kind'] },
  relay_b_seconds: { kind: 'gauge', help: 'B', labels: [] },
  relay_c_seconds: { kind: 'histogram', help: 'C', labels: [], buckets: [1, 5] },
} as const satisfies Record<string, MetricSpec>;

test('counts, gauges and measurements appear in the exposition', async (t) => {
  const metrics = createMetrics(specs);
  metrics.count('relay_a_total', { kind: 'x' });
  metrics.count('relay_a_total', { kind: 'x' }, 4);
  metrics.set('relay_b_seconds', 2.5);
  metrics.observe('relay_c_seconds', 3);
  const text = await metrics.render();
  t.true(text.includes('relay_a_total{kind="x"} 5\n'));
  t.true(text.includes('relay_b_seconds 2.5\n'));
  t.true(text.includes('relay_c_seconds_bucket{le="1"} 0\n'));
  t.true(text.includes('relay_c_seconds_bucket{le="5"} 1\n'));
  t.regex(metrics.contentType, /^text\/plain/);
});

test('gauges are refreshed before every scrape, in order, and waited for', async (t) => {
  const metrics = createMetrics(specs);
  let age = 0;
  metrics.onScrape(async () => {
    await Promise.resolve();
    age += 1;
  });
  metrics.onScrape(() => metrics.set('relay_b_seconds', age));
  t.regex(await metrics.render(), /^relay_b_seconds 1$/m);
  t.regex(await metrics.render(), /^relay_b_seconds 2$/m);
});

test('two processes in one share no numbers; the runtime’s own come when asked for', async (t) => {
  const [a, b] = [createMetrics(specs), createMetrics(specs, true)];
  a.set('relay_b_seconds', 9);
  t.regex(await b.render(), /^relay_b_seconds 0$/m);
  t.regex(await b.render(), /^process_resident_memory_bytes \d+$/m);
  t.notRegex(await a.render(), /process_/);
});
