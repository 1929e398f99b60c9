import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { finish, imeiA, imeiB, imeiC, harness } from '../test/harness.ts';

test('no call is begun that could outlast the run; the rest waits for the next delivery', async (t) => {
  const w = harness();
  w.script = async () => {
    await w.clock.sleep(50_000);
    return outcomes.accepted();
  };
  const began = w.clock.now();
  const result = await finish(w.clock, w.deliver([imeiA, imeiB, imeiC], { budgetMs: 150_000 }));
  t.is(result.outcome, 'transient');
  t.deepEqual(w.called(), [imeiA, imeiB]);
  t.true(w.clock.now() - began <= 150_000);
  t.is(w.entryOf(imeiC)?.state, 'pending');
});

test('who waits for another run of the integration gives up in time', async (t) => {
  const w = harness();
  w.script = async () => {
    await w.clock.sleep(59_000);
    return outcomes.accepted();
  };
  const long = w.deliver([imeiA, imeiB]);
  const short = w.deliver([imeiC], { attributes: { delivery_id: 'd2' }, budgetMs: 70_000 });
  const began = w.clock.now();
  t.like(await finish(w.clock, short), { outcome: 'transient' });
  t.true(w.clock.now() - began <= 11_000);
  await finish(w.clock, long);
  t.deepEqual(w.called(), [imeiA, imeiB]);
});

test('a run without time for a single call makes none', async (t) => {
  const w = harness();
  t.is((await w.deliver([imeiA], { budgetMs: 60_000 })).outcome, 'transient');
  t.is(w.calls.length, 0);
});

test('a wait that the run has no time for is not begun', async (t) => {
  const w = harness();
  w.script = () => outcomes.throttled(30_000);
  t.like(await w.deliver([imeiA], { budgetMs: 90_000 }), { outcome: 'transient', facts: { retryAfterMs: 30_000 } });
  t.is(w.calls.length, 1);
});

test('a process that ends finishes the call under way and begins no other', async (t) => {
  const w = harness();
  const end = new AbortController();
  w.script = async () => {
    end.abort();
    await w.clock.sleep(1_000);
    return outcomes.accepted();
  };
  const result = await finish(w.clock, w.deliver([imeiA, imeiB], { signal: end.signal }));
  t.is(result.outcome, 'transient');
  t.is(w.entryOf(imeiA)?.state, 'accepted');
  t.deepEqual(w.called(), [imeiA]);
});

test('a wait for the vendor ends with the process', async (t) => {
  const w = harness();
  const end = new AbortController();
  w.script = () => outcomes.throttled(60_000);
  const running = w.deliver([imeiA], { signal: end.signal });
  await w.clock.advance(1_000);
  end.abort();
  await w.clock.advance(0);
  t.is((await running).outcome, 'transient');
  t.is(w.calls.length, 1);
  t.is(w.entryOf(imeiA)?.state, 'pending');
});
