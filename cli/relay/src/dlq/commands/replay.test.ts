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

const key = `${integration}:300434030000001`;

test('a refused message goes out again with its key and trace, and the letter is done', async (t) => {
  const { run, store, events, kv } = harness();
  await store(letter({ headers: { traceparent: '00-abc', authorization: '**********' } }));
  const { code, out } = await run('replay', 'letter-1');
  t.is(code, 0);
  t.regex(out, /^replayed +letter-1 +message +0 observations, 1 message on the way$/m);
  const [sent, ...more] = await events();
  t.deepEqual(more, []);
  t.is(sent?.key, key);
  t.deepEqual(sent?.headers, { traceparent: '00-abc', 'dead-letter': '1 letter-1' });
  const { event_id: original } = refusedEvent();
  t.deepEqual({ ...sent?.event, event_id: original }, { ...refusedEvent(), replay_of: original });
  t.regex((await kv.state.get('dlq.letter-1')) ?? '', /"state":"replayed"/);
  t.is(await kv.state.get('dlq-claim.letter-1'), null);
});

test('the event has an id of its own, which counts as sent already for neither the original nor the other part', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ id: 'observation', kind: 'observation' }), letter({ id: 'message' }));
  await run('replay', '--all');
  const sent = (await events()).map(({ event }) => event.event_id);
  t.is(new Set([...sent, refusedEvent().event_id]).size, 3);
  for (const id of sent) t.regex(id, /^[0-9a-f]{64}$/);
});

test('a replay that is repeated because its mark was lost sends the same id, so that it arrives once', async (t) => {
  const { run, store, events, kv } = harness();
  await store(letter());
  await run('replay', 'letter-1');
  await kv.state.delete('dlq.letter-1');
  await run('replay', 'letter-1');
  const sent = await events();
  t.is(sent.length, 2);
  t.is(sent[0]?.event.event_id, sent[1]?.event.event_id);
});

test('an event on which the handler failed keeps its id: what was accepted of it is known by that', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ reason: 'handler_failed', kind: 'observation' }));
  await run('replay', 'letter-1');
  t.is((await events())[0]?.event.event_id, refusedEvent().event_id);
});

const receivedAt = (id: string, second: number) =>
  letter({
    id,
    received_at: `2026-01-01T00:00:0${second}.000Z`,
    body: refusedEvent({ received_at: `2026-01-01T00:00:0${second}.000Z` }),
  });

test('letters go out oldest first', async (t) => {
  const { run, store, events } = harness();
  await store(receivedAt('c', 3), receivedAt('a', 1), receivedAt('b', 2));
  await run('replay', '--all');
  t.deepEqual(
    (await events()).map(({ event }) => event.received_at.slice(17, 19)),
    ['01', '02', '03'],
  );
});

test('a letter whose record could not be read can only be dropped', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ reason: 'record_unreadable', body: 'nonsense' }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /it can only be dropped/);
  t.deepEqual(await events(), []);
});

test('a body that is no event stays, with why', async (t) => {
  const { run, store, kv } = harness();
  await store(letter({ body: { v: 2 } }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /not an event that this version reads/);
  t.is(await kv.state.get('dlq.letter-1'), null);
  t.is(await kv.state.get('dlq-claim.letter-1'), null);
});

test('a failing letter keeps no other back, and the end is 1', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ id: 'bad', body: 'nonsense' }), letter({ id: 'good' }));
  const { code, out } = await run('replay', '--all');
  t.is(code, 1);
  t.regex(out, /1 dead letter replayed, 1 failed/);
  t.is((await events()).length, 1);
});

test('a letter that another process works on is left alone', async (t) => {
  const { run, store, events, kv } = harness();
  await store(letter());
  await kv.state.set('dlq-claim.letter-1', 'claimed');
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /another process is processing it/);
  t.deepEqual(await events(), []);
  t.is(await kv.state.get('dlq-claim.letter-1'), 'claimed');
});

test('a webhook event is mapped again as received when it first came, and the letter is done', async (t) => {
  const { run, store, events, kv } = harness();
  await store(
    letter({
      kind: 'webhook_event',
      reason: 'bad_time',
      body: envelope(position(1)),
      headers: { traceparent: '00-abc' },
    }),
  );
  const { code, out } = await run('replay', 'letter-1');
  t.is(code, 0);
  t.regex(out, /1 observation, 1 message on the way/);
  const [sent, ...more] = await events();
  t.deepEqual(more, []);
  t.is(sent?.key, key);
  t.is(sent?.headers['traceparent'], '00-abc');
  t.is(sent?.event.received_at, letter().received_at);
  t.is(sent?.event.message?.text, 'text 1');
  t.regex((await kv.state.get('dlq.letter-1')) ?? '', /replayed/);
});

test('the rejected events of a body are one letter, and mapped again each alone', async (t) => {
  const { run, store, events } = harness();
  const rejected = { bad_time: [3, 7], missing_imei: [8] };
  await store(letter({ kind: 'webhook_event', body: envelope(position(1), position(2)), rejected }));
  t.regex((await run('replay', 'letter-1')).out, /2 observations, 2 messages on the way/);
  t.is((await events()).length, 2);
});

test('the last known settings of the integration hold, however old', async (t) => {
  const { run, store, events, kv } = harness();
  const value = { id: 'w', integration, webhook: { value: 'webhook' }, data: { include_messages: false } };
  const text = JSON.stringify({ loaded_at: '2020-01-01T00:00:00.000Z', value });
  await kv.config.set(`integrationconfig.${integration}.webhook`, text);
  await store(letter({ kind: 'webhook_event', body: envelope(position(1)) }));
  await run('replay', 'letter-1');
  t.like((await events())[0]?.event, { message: null, observation: { source: '300434030000001' } });
});

test('settings that cannot be read are the defaults', async (t) => {
  const { run, store, events, kv } = harness();
  await kv.config.set(`integrationconfig.${integration}.webhook`, 'no JSON');
  await store(letter({ kind: 'webhook_event', body: envelope(position(1)) }));
  t.is((await run('replay', 'letter-1')).code, 0);
  t.is((await events()).length, 1);
});

test('a webhook body is mapped whole, in order', async (t) => {
  const { run, store, events } = harness();
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  await store(letter({ kind: 'webhook_body', body: envelope(...numbers.map((n) => position(n))) }));
  t.regex((await run('replay', 'letter-1')).out, /50 observations, 50 messages on the way/);
  t.deepEqual(
    (await events()).map(({ event }) => event.message?.text),
    numbers.map((n) => `text ${n}`),
  );
});

test('the same body gives the same ids as its first receipt would, so that what was stored before is absorbed', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ id: 'a', kind: 'webhook_body', body: envelope(position(1)) }));
  await store(letter({ id: 'b', kind: 'webhook_event', body: envelope(position(1)) }));
  await run('replay', '--all');
  t.is(new Set((await events()).map(({ event }) => event.event_id)).size, 1);
});

test('a body that is refused still stays, leaves no second letter, and what is good of it is stored', async (t) => {
  const { run, store, events, kv } = harness();
  const bad = [position(2, { imei: null }), position(3, { messageCode: null })];
  await store(letter({ kind: 'webhook_body', body: envelope(position(1), ...bad) }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /still refused \(missing_imei: .* and 1 more\); its valid events were stored/);
  t.is((await events()).length, 1);
  t.is(await kv.state.get('dlq.letter-1'), null);
  t.regex((await run('list')).out, /1 dead letter\./);
});

test('a body that is no JSON is refused still, and nothing is stored', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ kind: 'webhook_body', reason: 'invalid_json', body: '{"Events":[' }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /still refused \(invalid_json/);
  t.notRegex(err, /was stored/);
  t.deepEqual(await events(), []);
});

test('a body of which only the start is kept cannot be replayed', async (t) => {
  const { run, store, events } = harness();
  await store(letter({ kind: 'webhook_body', truncated: true, bytes: 9_000_000, body: envelope(position(1)) }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /only the start of its 9000000 bytes is stored/);
  t.deepEqual(await events(), []);
});

test('a body that names no integration cannot be replayed', async (t) => {
  const { run, store } = harness();
  await store(letter({ kind: 'webhook_body', integration_id: null }));
  t.regex((await run('replay', 'letter-1')).err, /it names no integration/);
});

test('a text to a device goes out again, its ledger entry is reset, and the letter is done', async (t) => {
  const { run, store, outbound, kv } = harness();
  await kv.state.set(entryKey, entry('failed'));
  await store(textLetter());
  const { code, out } = await run('replay', 'letter-1');
  t.is(code, 0);
  t.regex(out, /^replayed +letter-1 +push_message +1 text on the way$/m);
  t.notRegex(out, /Back at noon/);
  t.like(JSON.parse((await kv.state.get(entryKey)) ?? ''), { state: 'pending', attempts: 0 });
  const [sent, ...more] = await outbound();
  t.deepEqual(more, []);
  t.like(sent, { key, headers: { traceparent: '00-abc' } });
  t.like(sent?.value, { v: 1, attributes: { delivery_id: 'd1' } });
  t.regex((await kv.state.get('dlq.letter-1')) ?? '', /"state":"replayed"/);
});

test('a text that the vendor has taken since is not sent, and its letter stays', async (t) => {
  const { run, store, outbound, kv } = harness();
  await kv.state.set(entryKey, entry('accepted'));
  await store(textLetter());
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /the vendor has accepted the text in the meantime/);
  t.deepEqual(await outbound(), []);
  t.is(await kv.state.get('dlq.letter-1'), null);
});

test('texts are known by the attribute that PUSH_ID_ATTRIBUTE names', async (t) => {
  const { run, store, kv, shell } = harness();
  Object.assign(shell.env, { PUSH_ID_ATTRIBUTE: 'text_id' });
  const key = `push.${integration}.t1.300434030000001`;
  await kv.state.set(key, entry('failed'));
  const data = { payload: { Message: 'x', Recipients: ['300434030000001'] } };
  await store(textLetter({ body: { v: 1, attributes: { destination_id: integration, text_id: 't1' }, data } }));
  t.is((await run('replay', 'letter-1')).code, 0);
  t.like(JSON.parse((await kv.state.get(key)) ?? ''), { state: 'pending' });
});

test('a letter that is no message to devices stays, with why', async (t) => {
  const { run, store, outbound } = harness();
  await store(textLetter({ body: 'nonsense' }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 1);
  t.regex(err, /not a message to devices; it can only be dropped/);
  t.deepEqual(await outbound(), []);
});

test('a list of letters never shows what texts say', async (t) => {
  const { run, store } = harness();
  await store(textLetter());
  for (const args of [['list'], ['list', '--output', 'json']]) t.notRegex((await run(...args)).out, /Back at noon/);
});

test('an event that was refused by a clock far behind is judged by the present when it is replayed', async (t) => {
  const { run, store, events } = harness();
  const early = '2012-01-01T00:00:00.000Z';
  await store(letter({ kind: 'webhook_event', reason: 'bad_time', received_at: early, body: envelope(position(1)) }));
  const { code, err } = await run('replay', 'letter-1');
  t.is(code, 0, err);
  t.is((await events())[0]?.event.received_at, early);
});

test('where nothing runs, a replay says that it is sent once `up` runs, waits for nothing, and fails', async (t) => {
  const { run, store, state } = harness();
  state.sender = 'nobody';
  await store(letter());
  const { code, out } = await run('replay', 'letter-1', '--wait', '60s');
  t.is(code, 1, 'nothing was accepted');
  t.regex(out, /^replayed +letter-1 +message +0 observations, 1 message on the bus$/m);
  t.regex(out, /^Nothing runs here: they are sent once `ranger-relay up` runs\.$/m);
});

const sosEvent = refusedEvent({ sos: 'declared' });
const sosSteps = async ({ bus }: ReturnType<typeof harness>): Promise<unknown[]> =>
  bus.values('sos-log').map(({ step, event_id: id, dead_letter: of }) => [step, id, of]);

test('what a person does with the dead letter of an SOS is on its log, as the same SOS', async (t) => {
  const w = harness();
  await w.store(letter({ body: sosEvent }), letter({ id: 'letter-2', body: sosEvent }));
  await w.run('replay', 'letter-1');
  t.regex((await w.run('drop', 'letter-2')).out, /An SOS stays .* open until its device cancels it\.$/);
  t.deepEqual(await sosSteps(w), [
    ['replayed', sosEvent.event_id, { id: 'letter-1', attempts: 1 }],
    ['dropped', sosEvent.event_id, { id: 'letter-2', attempts: 1 }],
  ]);
});

test('an SOS that could not be read is replayed as the event that it is, and its log names the dead letter', async (t) => {
  const w = harness();
  await w.store(letter({ kind: 'webhook_event', body: envelope(position(1, { messageCode: 4 })) }));
  await w.run('replay', 'letter-1');
  const [event] = w.bus.values('emergencies');
  t.deepEqual(await sosSteps(w), [['replayed', event?.['event_id'], { id: 'letter-1', attempts: 1 }]]);
});
