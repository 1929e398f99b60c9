import { activityLevel } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { bodyOf, finish, imeiA, imeiB, harness, type Harness } from '../test/harness.ts';
import { pushMessages } from './push-messages.ts';

const lostOnce = async () => {
  const w = harness({ ambiguous: 'hold' });
  w.script = () => outcomes.lost();
  const first = await w.deliver([imeiA]);
  w.script = () => outcomes.accepted();
  return { w, first };
};

test('a text that may have been sent is held at its next delivery: WARNING, dead letter, acknowledged', async (t) => {
  const { w, first } = await lostOnce();
  t.is(first.status, 500);
  const result = await w.deliver([imeiA]);
  t.is(result.outcome, 'success');
  t.deepEqual(bodyOf(result), { status: 'success', accepted: [], failed: [], unknown: [imeiA] });
  t.is(w.calls.length, 1);
  t.is(w.entryOf(imeiA)?.state, 'unknown');
  t.like(w.letters[0]?.letter, { kind: 'push_message', reason: 'ambiguous', attempts: 1 });
  t.deepEqual(w.titles(), ['Failed', 'Message held: it may have been sent']);
  t.like(w.entries[1]?.payload, { level: activityLevel.warning, data: { delivery_id: 'd1', recipients: [imeiA] } });
});

test('it is held once: later deliveries are acknowledged and tell nothing', async (t) => {
  const { w } = await lostOnce();
  await w.deliver([imeiA]);
  t.deepEqual(bodyOf(await w.deliver([imeiA])).unknown, [imeiA]);
  t.deepEqual([w.letters.length, w.entries.length, w.calls.length], [1, 2, 1]);
});

test('a text whose worker vanished is held after the window', async (t) => {
  const first = harness({ ambiguous: 'hold' });
  first.script = () => new Promise(() => undefined);
  void first.deliver([imeiA]);
  await first.clock.advance(0);
  await first.loseTurn();
  const second = harness({ ambiguous: 'hold', clock: first.clock, state: first.state, seed: 2 });
  t.is((await second.deliver([imeiA])).status, 500);
  await first.clock.advance(65_000);
  t.deepEqual(bodyOf(await second.deliver([imeiA])).unknown, [imeiA]);
  t.deepEqual([second.calls.length, second.letters.length], [0, 1]);
  t.is(second.entryOf(imeiA)?.state, 'unknown');
});

test('a text that may have been sent stays one when its dead letter cannot be stored', async (t) => {
  const w = harness({ ambiguous: 'hold' });
  w.script = () => outcomes.unavailable();
  await w.deliver([imeiA]);
  await w.clock.advance(25 * 3_600_000);
  w.script = () => outcomes.lost();
  w.onLetter = () => {
    throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
  };
  t.is((await w.deliver([imeiA])).outcome, 'transient');
  t.is(w.entryOf(imeiA)?.state, 'unknown');
  w.onLetter = () => undefined;
  t.deepEqual(bodyOf(await w.deliver([imeiA])).unknown, [imeiA]);
  t.is(w.calls.length, 2);
});

test('texts with a known end are sent again as ever', async (t) => {
  const w = harness({ ambiguous: 'hold' });
  w.script = () => outcomes.unavailable();
  await w.deliver([imeiA]);
  w.script = () => outcomes.accepted();
  t.deepEqual(bodyOf(await w.deliver([imeiA])).accepted, [imeiA]);
});

test('held and accepted devices together are a success with both entries', async (t) => {
  const w = harness({ ambiguous: 'hold' });
  w.script = ({ recipient }) => (recipient === imeiA ? outcomes.lost() : outcomes.accepted());
  await w.deliver([imeiA, imeiB]);
  const body = bodyOf(await w.deliver([imeiA, imeiB]));
  t.deepEqual([body.status, body.accepted, body.unknown], ['success', [imeiB], [imeiA]]);
  t.deepEqual(w.titles(), ['Failed', 'Message Delivered', 'Message held: it may have been sent']);
});

test('it is not acknowledged while its dead letter cannot be stored', async (t) => {
  const { w } = await lostOnce();
  w.onLetter = () => {
    throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
  };
  t.is((await w.deliver([imeiA])).status, 500);
  w.onLetter = () => undefined;
  t.is((await w.deliver([imeiA])).status, 200);
  t.is(w.letters.length, 1);
});

test('while the store is away nothing is sent', async (t) => {
  const w = harness({ ambiguous: 'hold' });
  w.state.away = true;
  const result = await finish(w.clock, w.deliver([imeiA]));
  t.is(result.status, 500);
  t.is(w.calls.length, 0);
  t.regex('error' in result ? result.error : '', /key-value store does not answer/);
});

test('resend: a text whose calls have no known end is sent five times at most, and then for a person to send again', async (t) => {
  const w = harness();
  w.script = () => outcomes.lost();
  for (let delivery = 1; delivery <= 5; delivery += 1) {
    t.is((await w.deliver([imeiA])).outcome, 'transient');
    await w.clock.advance(30 * 60_000);
  }
  t.deepEqual(bodyOf(await w.deliver([imeiA])).unknown, [imeiA]);
  t.deepEqual(bodyOf(await w.deliver([imeiA])).unknown, [imeiA]);
  t.is(w.calls.length, 5);
  t.deepEqual(
    w.letters.map(({ letter: { reason, attempts } }) => [reason, attempts]),
    [['ambiguous', 5]],
  );
});

test('resend: calls without a known end are spread over 40 minutes, so that a disturbance of that length leaves nothing to a person', async (t) => {
  const w = harness();
  w.script = () => outcomes.gatewayTimeout();
  const began = w.clock.now();
  while (w.clock.now() - began < 40 * 60_000) {
    t.is((await w.deliver([imeiA])).outcome, 'transient');
    await w.clock.advance(10_000);
  }
  t.deepEqual(
    w.calls.map(({ at }) => at - began),
    [0, 10_000, 70_000, 670_000],
  );
  t.like(await w.deliver([imeiA]), { outcome: 'transient', facts: { retryAfterMs: 70_000 } });
  w.script = () => outcomes.accepted();
  await w.clock.advance(70_000);
  t.deepEqual(bodyOf(await w.deliver([imeiA])).accepted, [imeiA]);
  t.is(w.letters.length, 0);
});

for (const [what, stand] of [
  ['stood still', (w: Harness): Promise<void> => w.clock.advance(3_001)],
  ['slept with its machine', async (w: Harness): Promise<void> => w.clock.jump(3_001)],
] as const)
  test(`a process that ${what} between its claim and its call makes none: another may be at it`, async (t) => {
    const w = harness();
    const { ledger } = w.deps;
    const frozen: typeof ledger = {
      ...ledger,
      async claim(key, opened) {
        const claimed = await ledger.claim(key, opened);
        await stand(w);
        return claimed;
      },
    };
    const run = pushMessages(w.inputTo([imeiA]), { ...w.deps, ledger: frozen });
    await t.throwsAsync(run, { message: /another/i });
    t.is(w.calls.length, 0);
    t.like(w.entryOf(imeiA), { state: 'pending', attempts: 0 });
  });
