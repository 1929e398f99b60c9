import { activityLevel } from '@ranger-relay/contracts';
import test from 'ava';
import { ledgerKey } from '../ledger/entry.ts';
import { outcomes } from '../test/outcomes.ts';
import {
  account,
  bodyOf,
  finish,
  imeiA,
  imeiB,
  imeiC,
  integrationId,
  messageTo,
  textCanary,
  harness,
} from '../test/harness.ts';

test('a text to two devices is two calls, each with the account and the text', async (t) => {
  const w = harness();
  const result = await w.deliver([imeiA, imeiB]);
  t.like(result, {
    outcome: 'success',
    status: 200,
    body: { status: 'success', accepted: [imeiA, imeiB], failed: [], unknown: [] },
  });
  t.deepEqual(w.called(), [imeiA, imeiB]);
  t.like(w.calls[0], {
    text: { text: textCanary, sender: 'ops@site.org', timestamp: Date.UTC(2025, 5, 4, 10, 35, 10) },
    config: { apiUrl: account.api_url, username: account.username, password: account.password },
  });
  t.like(w.entryOf(imeiA), { state: 'accepted', attempts: 1, status: 200, code: null });
});

test('acceptance is one INFO entry with delivery, devices, time and attributes', async (t) => {
  const w = harness();
  await w.deliver([imeiA, imeiB]);
  t.is(w.entries.length, 1);
  t.deepEqual(w.entries[0], {
    kind: 'CustomLog',
    payload: {
      title: 'Message Delivered',
      level: activityLevel.info,
      data: {
        delivery_id: 'd1',
        recipients: [imeiA, imeiB],
        delivered_at: '2026-01-01T00:00:00.000Z',
        attributes: { destination_id: w.inputTo([]).integrationId, delivery_id: 'd1' },
      },
    },
  });
});

test('a run is not answered before the ledger has each acceptance, so that a kill behind the answer sends nothing again', async (t) => {
  const w = harness();
  const gate = Promise.withResolvers<void>();
  w.script = () => {
    w.state.before = ({ key }) => (key === ledgerKey(integrationId, 'd1', imeiA) ? gate.promise : undefined);
    return outcomes.accepted();
  };
  let isAnswered = false;
  const delivered = w.deliver([imeiA]).finally(() => (isAnswered = true));
  await w.clock.advance(1_000);
  t.deepEqual([w.called(), isAnswered, w.entryOf(imeiA)?.state], [[imeiA], false, 'sending']);
  gate.resolve();
  t.is((await delivered).outcome, 'success');
  t.is(w.entryOf(imeiA)?.state, 'accepted');
});

test('a repeated delivery sends and tells nothing, and is answered alike', async (t) => {
  const w = harness();
  const first = await w.deliver([imeiA, imeiB]);
  t.deepEqual(await w.deliver([imeiB, imeiA, imeiA]), {
    ...first,
    body: { ...bodyOf(first), accepted: [imeiB, imeiA] },
  } as typeof first);
  t.is(w.calls.length, 2);
  t.is(w.entries.length, 1);
});

test('devices named twice, as a number too, are sent one text', async (t) => {
  const w = harness();
  await w.deliver([imeiA, Number(imeiA), ` ${imeiA}`]);
  t.deepEqual(w.called(), [imeiA]);
});

test('another delivery of the same text is another text', async (t) => {
  const w = harness();
  await w.deliver([imeiA]);
  await w.deliver([imeiA], { attributes: { delivery_id: 'd2' } });
  t.is(w.calls.length, 2);
});

test('calls of one integration never overlap, those of two do', async (t) => {
  const w = harness();
  let open = 0;
  let max = 0;
  w.script = async () => {
    max = Math.max(max, (open += 1));
    await w.clock.sleep(1_000);
    open -= 1;
    return outcomes.accepted();
  };
  const deliver = (id: string, integrationId: string) =>
    w.deliver([imeiA, imeiB, imeiC], { integrationId, attributes: { delivery_id: id } });
  await finish(w.clock, Promise.all([deliver('d1', 'i1'), deliver('d2', 'i1'), deliver('d3', 'i1')]));
  t.is(max, 1);
  await finish(w.clock, Promise.all([deliver('d4', 'i1'), deliver('d5', 'i2')]));
  t.is(max, 2);
  t.is(w.calls.length, 15);
});

test('the future is clamped and a missing time is now', async (t) => {
  const w = harness();
  for (const [id, Timestamp] of [
    ['d1', '2100-01-01T00:00:00Z'],
    ['d2', undefined],
  ] as const)
    await w.deliver([imeiA], { data: messageTo([imeiA], { Timestamp }), attributes: { delivery_id: id } });
  t.deepEqual(
    w.calls.map(({ text }) => text.timestamp),
    [w.clock.now(), w.clock.now()],
  );
});
