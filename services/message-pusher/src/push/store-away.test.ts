import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { bodyOf, finish, imeiA, imeiB, harness } from '../test/harness.ts';

test('without the store texts are sent all the same, and not twice by the process that sent them', async (t) => {
  const w = harness();
  w.state.away = true;
  t.deepEqual(bodyOf(await finish(w.clock, w.deliver([imeiA, imeiB]))).accepted, [imeiA, imeiB]);
  t.deepEqual(bodyOf(await finish(w.clock, w.deliver([imeiA, imeiB]))).accepted, [imeiA, imeiB]);
  t.deepEqual(w.called(), [imeiA, imeiB]);
});

test('the store’s absence is waited for once in a run, not for each device', async (t) => {
  const w = harness();
  w.state.away = true;
  const began = w.clock.now();
  await finish(w.clock, w.deliver(Array.from({ length: 50 }, (_, n) => String(n))));
  t.is(w.calls.length, 50);
  t.true(w.clock.now() - began <= 65_000, String(w.clock.now() - began));
});

test('a store that goes away during the call does not fail an accepted text', async (t) => {
  const w = harness();
  w.script = () => {
    w.state.away = true;
    return outcomes.accepted();
  };
  t.is((await finish(w.clock, w.deliver([imeiA]))).outcome, 'success');
  w.state.away = false;
  t.is((await w.deliver([imeiA])).outcome, 'success');
  t.is(w.calls.length, 1);
  t.is(w.entryOf(imeiA)?.state, 'accepted');
});

test('a store that was emptied does not make this process send again', async (t) => {
  const w = harness();
  await w.deliver([imeiA]);
  w.state.entries.clear();
  await w.deliver([imeiA]);
  t.is(w.calls.length, 1);
});

test('a refused text is a dead letter without the store too', async (t) => {
  const w = harness();
  w.script = () => outcomes.refused();
  w.state.away = true;
  t.is((await finish(w.clock, w.deliver([imeiA]))).outcome, 'failed');
  t.is(w.letters.length, 1);
});
