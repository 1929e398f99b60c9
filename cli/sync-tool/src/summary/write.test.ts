import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import {
  summaryCounts,
  syncSteps,
  type SyncSummary,
  syncSummaryBytes,
  syncSummarySchema,
} from '@ranger-relay/contracts';
import test from 'ava';
import { fitSummary, newSummary } from './write.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter, maxLength: 3_000 }),
  fc.constantFrom(
    '',
    '\u0000'.repeat(500),
    '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'.repeat(90),
    '"\\'.repeat(700),
    '\uD800',
  ),
);
const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const reason = fc.stringMatching(/^[a-z_]{1,64}$/);
const nullable = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const list = <T>(item: fc.Arbitrary<T>) => fc.record({ items: fc.array(item, { maxLength: 300 }), left_out: fc.nat() });
const stepCount = fc.record({
  created: count,
  updated: count,
  deactivated: count,
  unchanged: count,
  failed: count,
  not_tried: count,
});
const each = <Key extends string, T>(keys: readonly Key[], value: fc.Arbitrary<T>) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, value]))) as fc.Arbitrary<Record<Key, T>>;

const summaries: fc.Arbitrary<SyncSummary> = fc.record({
  format: fc.constant('patrol-datamodel-summary' as const),
  format_version: fc.constant('1.0' as const),
  tool: fc.string({ unit: anyCharacter, maxLength: 20 }),
  command: nullable(fc.string({ unit: anyCharacter, maxLength: 20 })),
  dry_run: fc.boolean(),
  outcome: fc.constantFrom('done' as const, 'failed' as const, 'usage' as const, 'interrupted' as const),
  exit: fc.constantFrom(0 as const, 1 as const, 2 as const, 3 as const, 130 as const),
  reason: nullable(reason),
  message: nullable(text),
  site: nullable(text),
  plan_hash: nullable(fc.stringMatching(/^[0-9a-f]{64}$/)),
  bundle: nullable(fc.stringMatching(/^[0-9a-f]{64}$/)),
  counts: each(summaryCounts, count),
  steps: nullable(each(syncSteps, stepCount)),
  failures: fc.array(fc.record({ step: fc.constantFrom(...syncSteps), reason }), { maxLength: 5 }),
  people_deactivated: nullable(count),
  verdict: nullable(text),
  record: nullable(text),
  checklist: nullable(text),
  plan: nullable(text),
  report: nullable(text),
  problems: list(text),
  open: list(
    fc.record({ who: fc.constantFrom('operator' as const, 'site_admin' as const, 'ext_admin' as const), text }),
  ),
});

const read = (json: string): SyncSummary => syncSummarySchema.parse(JSON.parse(json));
const decisive = ({
  outcome,
  exit,
  reason: why,
  plan_hash,
  bundle,
  counts,
  steps,
  failures,
  people_deactivated,
}: SyncSummary) => ({
  outcome,
  exit,
  why,
  plan_hash,
  bundle,
  counts,
  steps,
  failures,
  people_deactivated,
});

testProp('whatever it says, it is valid JSON of at most 4096 bytes', [summaries], (t, summary) => {
  const json = fitSummary(summary);
  t.true(Buffer.byteLength(json) <= syncSummaryBytes);
  t.notThrows(() => read(json));
});

testProp('how the call ended, the hash and the counts are never cut', [summaries], (t, summary) => {
  t.deepEqual(decisive(read(fitSummary(summary))), decisive(summary));
});

testProp('what is left out of a list is counted', [summaries], (t, summary) => {
  const fitted = read(fitSummary(summary));
  for (const name of ['problems', 'open'] as const)
    t.is(fitted[name].items.length + fitted[name].left_out, summary[name].items.length + summary[name].left_out, name);
});

testProp('no character of it does anything in a terminal', [summaries], (t, summary) => {
  // eslint-disable-next-line no-control-regex
  t.notRegex(fitSummary(summary), /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
});

const whole = (parts: Partial<SyncSummary>): SyncSummary => ({ ...newSummary('patrol-datamodel', false), ...parts });
const items = (n: number, words: (i: number) => string): SyncSummary['open'] => ({
  items: Array.from({ length: n }, (_, i) => ({ who: 'site_admin', text: words(i) })),
  left_out: 0,
});

test('what fits is not cut', (t) => {
  const summary = whole({ message: 'x'.repeat(1_000), open: items(3, (i) => `${i} ${'y'.repeat(300)}`) });
  t.deepEqual(read(fitSummary(summary)), summary);
});

test('of a long list the first items stay, as many as there is room for', (t) => {
  const summary = whole({ open: items(500, (i) => `Create the team "Équipe ${i}"`) });
  const { open } = read(fitSummary(summary));
  t.deepEqual(open.items, summary.open.items.slice(0, open.items.length));
  t.true(open.items.length > 40);
  const onceMore = JSON.stringify({ ...summary, open: { items: summary.open.items.slice(0, open.items.length + 1) } });
  t.true(Buffer.byteLength(onceMore) > syncSummaryBytes - 20);
});

test('one item that would fill it alone is shortened instead', (t) => {
  const summary = whole({ open: items(20, (i) => (i === 0 ? 'é'.repeat(100_000) : `Team ${i}`)) });
  const { open } = read(fitSummary(summary));
  t.is(open.left_out, 0);
  t.is([...(open.items[0]?.text ?? '')].length, 160);
  t.true(open.items[0]?.text.endsWith('…'));
});

test('the name of the record outlives everything else that can be cut', (t) => {
  const long = '\u0001'.repeat(600);
  const fitted = read(
    fitSummary(whole({ message: long, site: long, plan: long, checklist: long, record: 'run.json' })),
  );
  t.is(fitted.record, 'run.json');
  t.is(fitted.message, null);
});
