import type { InboundOutcome } from '@ranger-relay/device';
import test from 'ava';
import { outcomes } from '../test/outcomes.ts';
import { bodyOf, finish, imeiA, imeiB, imeiC, harness } from '../test/harness.ts';

const hour = 3_600_000;

const rows: readonly (readonly [string, () => InboundOutcome, state: string, errorType: string])[] = [
  ['an unreachable vendor', outcomes.unreachable, 'pending', 'connectivity'],
  ['a 503', outcomes.unavailable, 'pending', 'connectivity'],
  ['a 500', outcomes.internal, 'pending', 'bad_response'],
  ['a 429', outcomes.throttled, 'pending', 'rate_limit'],
  ['refused credentials', outcomes.unauthorized, 'pending', 'auth'],
  ['a lost answer', outcomes.lost, 'unknown', 'timeout'],
  ['a 504', outcomes.gatewayTimeout, 'unknown', 'connectivity'],
];
for (const [what, outcome, state, errorType] of rows)
  test(`${what} is 500 with one Failed event, and the next delivery sends the text`, async (t) => {
    const w = harness();
    w.script = () => outcome();
    const result = await w.deliver([imeiA]);
    t.like(result, { outcome: 'transient', status: 500 });
    t.is('facts' in result ? result.facts.type : '', errorType as never);
    t.deepEqual(w.titles(), ['Failed']);
    t.is(w.entryOf(imeiA)?.state, state as never);
    t.is(w.letters.length, 0);
    w.script = () => outcomes.accepted();
    t.is((await w.deliver([imeiA])).outcome, 'success');
    t.deepEqual(w.titles(), ['Failed', 'Message Delivered']);
  });

test('devices that were sent the text are not sent it again with the others', async (t) => {
  const w = harness();
  w.script = ({ recipient }) => (recipient === imeiB ? outcomes.unavailable() : outcomes.accepted());
  t.is((await w.deliver([imeiA, imeiB, imeiC])).outcome, 'transient');
  t.deepEqual(w.called(), [imeiA, imeiB, imeiC]);
  w.script = () => outcomes.accepted();
  t.deepEqual(bodyOf(await w.deliver([imeiA, imeiB, imeiC])).accepted, [imeiA, imeiB, imeiC]);
  t.deepEqual(w.called(), [imeiA, imeiB, imeiC, imeiB]);
  t.deepEqual(w.entries.at(-1)?.payload['data'], {
    delivery_id: 'd1',
    recipients: [imeiA, imeiB, imeiC],
    delivered_at: '2026-01-01T00:00:00.000Z',
    attributes: w.inputTo([]).attributes,
  });
});

test('once only permanent failures are left the run ends, with the accepted ones', async (t) => {
  const w = harness();
  w.script = ({ recipient }) => (recipient === imeiA ? outcomes.refused() : outcomes.unavailable());
  await w.deliver([imeiA, imeiB]);
  w.script = () => outcomes.accepted();
  const body = bodyOf(await w.deliver([imeiA, imeiB]));
  t.deepEqual(
    [body.status, body.accepted, body.failed.map(({ recipient }) => recipient)],
    ['failed', [imeiB], [imeiA]],
  );
  t.deepEqual(w.titles(), ['Failed', 'Message Delivered', 'Failed']);
  t.is(w.letters.length, 1);
});

for (const [what, outcome] of [
  ['refused credentials', outcomes.unauthorized],
  ['a throttled account', outcomes.throttled],
] as const)
  test(`${what} end the run: the vendor is not asked for the other devices`, async (t) => {
    const w = harness();
    w.script = () => outcome();
    t.is((await w.deliver([imeiA, imeiB, imeiC])).outcome, 'transient');
    t.deepEqual(w.called(), [imeiA]);
    t.is(w.entryOf(imeiC)?.state, 'pending');
  });

test('a wait of up to a minute that the vendor asks for is waited for inside the run', async (t) => {
  const w = harness();
  w.script = () => (w.calls.length === 1 ? outcomes.throttled(60_000) : outcomes.accepted());
  const result = await finish(w.clock, w.deliver([imeiA]));
  t.is(result.outcome, 'success');
  t.is((w.calls[1]?.at ?? 0) - (w.calls[0]?.at ?? 0), 60_000);
  t.like(w.entryOf(imeiA), { state: 'accepted', attempts: 2 });
});

test('a longer wait is handed to the caller', async (t) => {
  const w = harness();
  w.script = () => outcomes.throttled(61_000);
  t.like(await w.deliver([imeiA]), { outcome: 'transient', facts: { retryAfterMs: 61_000 } });
  t.is(w.calls.length, 1);
});

test('waits of a run add up to a minute at most, and no wait at all is a second', async (t) => {
  const w = harness();
  w.script = () => outcomes.throttled(0);
  t.is((await finish(w.clock, w.deliver([imeiA]))).outcome, 'transient');
  t.is(w.calls.length, 61);
});

test('a lost answer is not repeated inside the run, whatever the vendor asks', async (t) => {
  const w = harness();
  w.script = () => {
    const lost = outcomes.gatewayTimeout();
    return 'error' in lost ? { ...lost, error: Object.assign(lost.error, { retryAfterMs: 1_000 }) } : lost;
  };
  t.is((await w.deliver([imeiA])).outcome, 'transient');
  t.is(w.calls.length, 1);
});

test('a text that fails for more than 24 h is given up with its last cause', async (t) => {
  const w = harness();
  for (const outcome of [outcomes.unavailable, outcomes.lost]) {
    const id = outcome().kind;
    w.script = () => outcome();
    const attributes = { delivery_id: id };
    t.is((await w.deliver([imeiA], { attributes })).outcome, 'transient');
    await w.clock.advance(24 * hour);
    t.is((await w.deliver([imeiA], { attributes })).outcome, 'transient');
    await w.clock.advance(60_000);
    const body = bodyOf(await w.deliver([imeiA], { attributes }));
    t.regex(body.failed[0]?.error ?? '', /was not accepted within 24 h; last failure: .*told so/);
    t.is(w.letters.at(-1)?.letter.reason, 'push_expired');
    t.is(w.entryOf(imeiA, id)?.state, 'failed');
  }
});

test('an old text is still tried: only a failure ends it', async (t) => {
  const w = harness();
  w.script = () => outcomes.unavailable();
  await w.deliver([imeiA]);
  await w.clock.advance(48 * hour);
  w.script = () => outcomes.accepted();
  t.is((await w.deliver([imeiA])).outcome, 'success');
});

test('a text that a worker was sending when it vanished is 500, until its window is over', async (t) => {
  const first = harness();
  const second = harness({ clock: first.clock, state: first.state, seed: 2 });
  first.script = () => new Promise(() => undefined);
  void first.deliver([imeiA]);
  await first.clock.advance(0);
  await first.loseTurn();
  const busy = await second.deliver([imeiA]);
  t.is(busy.outcome, 'transient');
  t.is(second.calls.length, 0);
  await first.clock.advance(65_000);
  t.is((await second.deliver([imeiA])).outcome, 'success');
  t.is(second.entryOf(imeiA)?.attempts, 2);
});
