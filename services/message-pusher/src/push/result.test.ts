import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { finish, imeiA, imeiB, imeiC, messageTo, harness, type Harness } from '../test/harness.ts';

const counted = async ({ metrics }: Harness): Promise<Record<string, number>> =>
  Object.fromEntries(
    [...(await metrics.render()).matchAll(/^relay_texts_total\{outcome="(\w+)"\} (\d+)$/gm)].map(
      ([, name = '', count]) => [name, Number(count)],
    ),
  );

test('each device is counted by what became of its text', async (t) => {
  const w = harness();
  w.script = ({ recipient }) => (recipient === imeiB ? outcomes.refused() : outcomes.accepted());
  await finish(w.clock, w.deliver([imeiA, imeiB, imeiC]));
  t.deepEqual(await counted(w), { accepted: 2, failed: 1 });
});

test('what an earlier run decided is not counted again', async (t) => {
  const w = harness();
  await finish(w.clock, w.deliver([imeiA]));
  await finish(w.clock, w.deliver([imeiA]));
  t.deepEqual(await counted(w), { accepted: 1 });
});

test('a text that comes again is told from one that may have been sent', async (t) => {
  const w = harness();
  w.script = ({ recipient }) => (recipient === imeiA ? outcomes.unreachable() : outcomes.lost());
  await finish(w.clock, w.deliver([imeiA, imeiB]));
  t.deepEqual(await counted(w), { deferred: 1, ambiguous: 1 });
});

test('a text that is held for a person is counted', async (t) => {
  const w = harness({ ambiguous: 'hold' });
  w.script = () => outcomes.lost();
  await finish(w.clock, w.deliver([imeiA]));
  await finish(w.clock, w.deliver([imeiA]));
  t.deepEqual(await counted(w), { ambiguous: 1, held: 1 });
});

test('a push that cannot be read at all is one text that failed', async (t) => {
  const w = harness();
  await finish(w.clock, w.deliver([imeiA], { data: { ...messageTo([imeiA]), payload: 'none' } }));
  t.deepEqual(await counted(w), { failed: 1 });
});
