import type { SourceEvent } from '@ranger-relay/contracts';
import { createDeliveredRecords } from '@ranger-relay/observation-forwarder';
import test from 'ava';
import {
  entry,
  entryKey,
  envelope,
  harness,
  integration,
  letter,
  position,
  refusedEvent,
  textLetter,
} from '../test/harness.ts';

/** What the forwarder records of an event that was delivered. */
const deliver = async ({ kv, clock }: ReturnType<typeof harness>, event: SourceEvent): Promise<void> =>
  (await createDeliveredRecords(kv.state, clock).read([])).accept([{ event, mark: 'done' }]);

/** Replays a letter and waits; the services then do something. */
const replayAndWait = async (w: ReturnType<typeof harness>, act: () => Promise<unknown>) => {
  const running = w.run('replay', 'letter-1', '--wait', '60s');
  await w.clock.advance(2_000);
  await act();
  await w.clock.advance(60_000);
  return running;
};

test('--wait tells that the platform accepted it', async (t) => {
  const w = harness();
  await w.store(letter());
  const { code, out } = await replayAndWait(w, async () => {
    const [sent] = await w.events();
    await deliver(w, sent?.event ?? t.fail());
  });
  t.is(code, 0);
  t.regex(out, /^accepted +letter-1 +after 2/m);
});

test('--wait tells that it is refused again: the same letter, with its tries, live again and replayed with an id of its own', async (t) => {
  const w = harness();
  await w.store(letter());
  const { code, out } = await replayAndWait(w, () => w.store(letter({ attempts: 2, reason: 'item_fails' })));
  t.is(code, 1);
  t.regex(out, /^refused again: item_fails +letter-1 +after 2/m);
  t.regex((await w.run('list')).out, /letter-1 +message +item_fails +\S.* 2 +\S/);
  t.regex((await w.run('replay', 'letter-1')).out, /1 dead letter replayed, 0 failed/);
  const sent = (await w.events()).map(({ event }) => event);
  t.is(new Set(sent.map(({ event_id: id }) => id)).size, 2);
  t.is(new Set(sent.map(({ replay_of: original }) => original)).size, 1);
  t.regex((await w.run('replay', 'letter-1')).out, /0 dead letters replayed, 1 failed/);
});

test('--wait ends with 1 when nothing is known in time', async (t) => {
  const w = harness();
  await w.store(letter());
  const { code, out } = await replayAndWait(w, async () => undefined);
  t.is(code, 1);
  t.regex(out, /^waits +letter-1 +after 1 min/m);
});

test('--wait tells that the vendor accepted a text', async (t) => {
  const w = harness();
  await w.kv.state.set(entryKey, entry('failed'));
  await w.store(textLetter());
  const { code, out } = await replayAndWait(w, () => w.kv.state.set(entryKey, entry('accepted')));
  t.is(code, 0);
  t.regex(out, /^accepted +letter-1/m);
});

/** An event of two parts, as it is kept when no topic took it. */
const whole = refusedEvent({
  observation: {
    source: '300434030000001',
    recorded_at: '2026-01-01T00:00:00Z',
    location: { lat: -1.25, lon: 36.8 },
    additional: {},
  },
});

for (const [what, kept] of [
  ['an event of two parts', { kind: 'observation', reason: 'record_too_large', body: whole }],
  [
    'a body of several events',
    { kind: 'webhook_body', reason: 'invalid_json', body: envelope(position(1), position(2)) },
  ],
] as const)
  test(`--wait waits for ${what}: accepted with its last, refused with one part`, async (t) => {
    for (const refused of [false, true]) {
      const w = harness();
      await w.store(letter(kept));
      const { code, out } = await replayAndWait(w, async () => {
        const sent = await w.events();
        const [first] = sent;
        if (refused) await w.store(letter({ id: 'letter-2', reason: 'item_fails', body: first?.event }));
        for (const { event } of sent) await deliver(w, event);
      });
      t.is(code, refused ? 1 : 0);
      t.regex(out, refused ? /^refused again: item_fails +letter-1 +after 2/m : /^accepted +letter-1 +after 2/m);
    }
  });

test('--wait fails where only the activity log can tell what became of a letter', async (t) => {
  const w = harness();
  const body = { integration_id: integration, action_id: 'pull_events', triggered_by: 'manual', event_id: 'e1' };
  const origin = { topic: 'site_connector-actions-topic', partition: 0, offset: '1' };
  await w.store(letter({ kind: 'command', origin, body }));
  const { code, out } = await replayAndWait(w, async () => undefined);
  t.is(code, 1);
  t.regex(out, /^not known +letter-1 +after 1 min; ranger-relay activity tells its outcome$/m);
});

test('--wait tells that the vendor refuses one text of several', async (t) => {
  const w = harness();
  const data = { event_id: 'e1', payload: { Message: 'x', Recipients: ['300434030000001', '300434030000002'] } };
  await w.store(textLetter({ body: { v: 1, attributes: { destination_id: integration, delivery_id: 'd1' }, data } }));
  const { code, out } = await replayAndWait(w, () => w.kv.state.set(entryKey, entry('failed')));
  t.is(code, 1);
  t.regex(out, /^refused again +letter-1/m);
});
