import { epochKey, epochOf } from '@ranger-relay/kv';
import test from 'ava';
import { integration, letter, refusedEvent, harness } from './test/harness.ts';

test('a person who has looked at the refusals lets more of them become dead letters', async (t) => {
  const { run, kv } = harness();
  const { code, out } = await run('allow', integration, '--count', '1000');
  t.is(code, 0);
  t.is(await kv.state.get(`refusals.${integration}.observation`), '-980');
  t.regex(out, /1.000 items of .* may become dead letters in a row/);
  t.is((await run('allow', integration, '--count', '0')).code, 2);
});

test('a dropped letter is marked for as long as the topic keeps it', async (t) => {
  const { run, store, kv, clock } = harness();
  await store(letter());
  const { code, out } = await run('drop', 'letter-1');
  t.is(code, 0);
  t.regex(out, /^dropped +letter-1 +message +item_refused$/m);
  t.deepEqual(JSON.parse((await kv.state.get('dlq.letter-1')) ?? ''), {
    state: 'dropped',
    at: '2026-01-01T00:00:00.000Z',
    attempts: 1,
  });
  await clock.advance(30 * 86_400_000 - 1);
  t.not(await kv.state.get('dlq.letter-1'), null);
  await clock.advance(2);
  t.is(await kv.state.get('dlq.letter-1'), null);
});

test('--all with a filter drops what fits and nothing else', async (t) => {
  const { run, store } = harness();
  await store(
    letter({ id: 'a', reason: 'invalid_json' }),
    letter({ id: 'b' }),
    letter({ id: 'c', reason: 'invalid_json' }),
  );
  t.regex((await run('drop', '--all', '--reason', 'invalid_json', '--yes')).out, /2 dead letters dropped/);
  const { out } = await run('list', '--output', 'json');
  t.deepEqual(
    (JSON.parse(out) as { id: string }[]).map(({ id }) => id),
    ['b'],
  );
});

test('--all drops nothing without a yes: asked for on a terminal, said with --yes elsewhere', async (t) => {
  const { run, store, shell, kv } = harness();
  await store(letter({ id: 'a' }), letter({ id: 'b', body: refusedEvent({ sos: 'declared' }) }));
  const marks = async () => (await kv.state.list('dlq.')).length;
  const refused = await run('drop', '--all');
  t.is(refused.code, 2);
  t.regex(refused.err, /--all drops 2 dead letters permanently; add --yes, or preview with --dry-run/);
  shell.answer = false;
  t.is((await run('drop', '--all')).out, 'Nothing was dropped.');
  t.is(shell.questions.at(-1), 'Drop 2 dead letters, 1 of an SOS, permanently?');
  t.is(await marks(), 0);
  shell.answer = true;
  t.regex((await run('drop', '--all')).out, /2 dead letters dropped/);
  t.is(await marks(), 2);
});

test('--dry-run tells what would be dropped, and drops nothing', async (t) => {
  const { run, store, kv } = harness();
  await store(letter({ id: 'a' }));
  const { code, out } = await run('drop', '--all', '--dry-run');
  t.is(code, 0);
  t.is(out, 'to drop   a  message  item_refused\n1 dead letter to drop; nothing was dropped.');
  t.is((await kv.state.list('dlq.')).length, 0);
});

test('a named letter that there is not ends with 1 and keeps no other back', async (t) => {
  const { run, store } = harness();
  await store(letter());
  const { code, out, err } = await run('drop', 'nobody', 'letter-1');
  t.is(code, 1);
  t.regex(err, /no dead letter nobody/);
  t.regex(out, /1 dead letter dropped/);
});

test('a letter is dropped once', async (t) => {
  const { run, store } = harness();
  await store(letter());
  await run('drop', 'letter-1');
  t.is((await run('drop', 'letter-1')).code, 1);
});

test('an SOS that cannot be written to its log is not dropped, and the other letters are', async (t) => {
  const w = harness();
  const { publish } = w.bus;
  await w.store(letter({ id: 'sos', body: refusedEvent({ sos: 'declared' }) }), letter({ id: 'other' }));
  Object.assign(w.bus, {
    publish: (topic: string, ...more: unknown[]) =>
      topic === 'sos-log' ? Promise.reject(new Error('away')) : Reflect.apply(publish, w.bus, [topic, ...more]),
  });
  const running = w.run('drop', 'sos', 'other');
  await w.clock.advance(2_000);
  await w.clock.advance(5_000);
  const { code, out, err } = await running;
  t.is(code, 1);
  t.regex(err, /^The dead letter sos was not dropped: .* Repeat `ranger-relay dlq drop sos` once it can/m);
  t.notRegex(out, /^dropped +sos/m);
  t.regex(out, /^dropped +other .*\n1 dead letter dropped\.$/m);
  t.is(await w.kv.state.get('dlq.sos'), null);
  Object.assign(w.bus, { publish });
  t.regex((await w.run('drop', 'sos')).out, /^dropped +sos/m);
  t.like(w.bus.values('sos-log'), [{ step: 'dropped' }]);
});

test('nothing goes to the platform', async (t) => {
  const { run, store, events } = harness();
  await store(letter());
  await run('drop', '--all', '--yes');
  t.deepEqual(await events(), []);
});

for (const [args, sentence] of [
  [['drop'], /Name the ids of dead letters, or pass --all/],
  [['drop', 'letter-1', '--all'], /not both/],
  [['drop', 'letter-1', '--reason', 'x'], /require --all/],
  [['replay'], /Name the ids of dead letters, or pass --all/],
] as const)
  test(`the call "dlq ${args.join(' ')}" is refused and changes nothing`, async (t) => {
    const { run, store, kv } = harness();
    await store(letter());
    const { code, err } = await run(...args);
    t.is(code, 2);
    t.regex(err, sentence);
    t.deepEqual(await kv.state.list('dlq.'), []);
  });

test('every field is shown and the body is decoded', async (t) => {
  const { run, store } = harness();
  await store(letter({ headers: { traceparent: '00-abc' } }));
  const { code, out } = await run('show', 'letter-1');
  t.is(code, 0);
  for (const text of [
    /^state +live$/m,
    /^kind +message$/m,
    /^detail +The platform refuses/m,
    /^header traceparent +00-abc$/m,
  ])
    t.regex(out, text);
  t.regex(out, /^origin +source-events, partition 3, offset 17$/m);
  t.regex(out, /"text": "Back at noon"/);
});

test('a body that is text but not JSON is shown as it is', async (t) => {
  const { run, store } = harness();
  await store(letter({ kind: 'webhook_body', body: '{"Events":[' }));
  t.true((await run('show', 'letter-1')).out.endsWith('body\n{"Events":['));
});

test('a body that is no text is shown as base64', async (t) => {
  const { run, store } = harness();
  const bytes = Buffer.from([0xff, 0xfe, 0x00]).toString('base64');
  await store(letter({ body_base64: bytes }));
  t.true((await run('show', 'letter-1')).out.endsWith(`body (not text, base64)\n${bytes}`));
});

test('a body that was cut is said to be', async (t) => {
  const { run, store } = harness();
  await store(letter({ truncated: true, bytes: 5_000_000, sha256: 'ab' }));
  const { out } = await run('show', 'letter-1');
  t.regex(out, /only its start is stored/);
  t.regex(out, /^bytes +5000000$/m);
});

test('secrets in headers stay masked', async (t) => {
  const { run, store } = harness();
  await store(letter({ headers: { 'x-outbound-auth-token': 'canary-token', authorization: 'canary-auth' } }));
  for (const form of ['text', 'json']) t.notRegex((await run('show', 'letter-1', '--output', form)).out, /canary/);
});

test('a letter that was dropped is still shown, with when', async (t) => {
  const { run, store } = harness();
  await store(letter());
  await run('drop', 'letter-1');
  t.regex((await run('show', 'letter-1')).out, /^state +dropped at 2026-01-01T/m);
});

test('as JSON the letter is whole, with its state and decoded body', async (t) => {
  const { run, store } = harness();
  await store(letter({ kind: 'webhook_body', body: 'nonsense' }));
  const shown = JSON.parse((await run('show', 'letter-1', '--output', 'json')).out) as object;
  t.like(shown, { state: 'live', ...letter({ kind: 'webhook_body', body: 'nonsense' }), body_text: 'nonsense' });
});

test('an id that nothing has ends with 1 and a sentence', async (t) => {
  const { run } = harness();
  const { code, err } = await run('show', 'nobody');
  t.is(code, 1);
  t.regex(err, /There is no dead letter nobody/);
});

test('escape sequences in a body do not reach the terminal', async (t) => {
  const { run, store } = harness();
  await store(letter({ kind: 'webhook_body', body: 'a\u001B]0;title\u0007' }));
  t.false((await run('show', 'letter-1')).out.includes('\u001B'));
});

test('with nothing to do the list says so and ends with 0', async (t) => {
  const { run } = harness();
  t.deepEqual(await run('list'), { code: 0, out: 'No dead letters wait.', err: '' });
});

test('the table holds a line per live letter, oldest first', async (t) => {
  const { run, store } = harness();
  await store(
    letter({ id: 'younger', received_at: '2026-01-01T00:00:09.000Z' }),
    letter({ id: 'older', kind: 'webhook_body', reason: 'invalid_json', integration_id: null }),
  );
  const { out } = await run('list');
  const lines = out.split('\n');
  t.regex(lines[0] ?? '', /^id +kind +reason +failed +tries +integration$/);
  t.regex(lines[1] ?? '', /^older +webhook_body +invalid_json +now +1 +–$/);
  t.regex(lines[2] ?? '', new RegExp(`^younger +message +item_refused .*${integration}$`));
  t.regex(out, /2 dead letters/);
});

for (const [option, value] of [
  ['--integration', 'other'],
  ['--kind', 'webhook_event'],
  ['--reason', 'bad_time'],
] as const)
  test(`${option} picks the letters that fit`, async (t) => {
    const { run, store } = harness();
    await store(
      letter({ id: 'wanted', integration_id: 'other', kind: 'webhook_event', reason: 'bad_time' }),
      letter({ id: 'not-wanted' }),
    );
    const { out } = await run('list', option, value);
    t.regex(out, /^wanted/m);
    t.notRegex(out, /not-wanted/);
  });

test('as JSON the list is an array of heads without bodies', async (t) => {
  const { run, store } = harness();
  await store(letter({ id: 'a' }));
  const { out } = await run('list', '--output', 'json');
  const [head, ...more] = JSON.parse(out) as Record<string, unknown>[];
  t.deepEqual(more, []);
  t.like(head, { id: 'a', kind: 'message', integration_id: integration, reason: 'item_refused', attempts: 1 });
  t.false('body_base64' in (head ?? {}));
});

test('dropped and replayed letters are not listed', async (t) => {
  const { run, store, kv } = harness();
  await store(letter({ id: 'dropped' }), letter({ id: 'replayed' }), letter({ id: 'live' }));
  await kv.state.set('dlq.dropped', '{"state":"dropped","at":"2026-01-01T00:00:00.000Z","attempts":1}');
  await kv.state.set('dlq.replayed', '{"state":"replayed","at":"2026-01-01T00:00:00.000Z","attempts":1}');
  const { out } = await run('list');
  t.notRegex(out, /^(dropped|replayed)/m);
  t.regex(out, /^live/m);
});

test('letters of before an emptied store are told as perhaps decided, and replayed only by name', async (t) => {
  const { run, store, kv, clock, bus, events } = harness();
  await store(letter({ id: 'early' }), letter({ id: 'sos', body: refusedEvent({ sos: 'declared' }) }));
  await run('drop', 'sos');
  clock.jump(1_000);
  await kv.state.delete('dlq.sos');
  await kv.state.set(epochKey, epochOf(clock.now()));
  await store(letter({ id: 'late' }));
  t.is(bus.values('sos-log').length, 1);
  const { out, err } = await run('list');
  t.notRegex(out, /^sos/m, 'the log of SOS tells that it was dropped');
  t.regex(out, /^early/m);
  t.regex(err, /^The store remembers since 20\S+Z, and 1 dead letter of before is there: .*: early$/);
  const all = await run('replay', '--all');
  t.regex(all.out, /1 dead letter replayed, 0 failed/);
  t.regex(all.err, /so they are sent only if they are named: early$/);
  t.is((await events()).length, 1);
  t.regex((await run('replay', 'early')).out, /1 dead letter replayed, 0 failed/);
});

test('the beginning of an id names a letter, unless several begin so', async (t) => {
  const { run, store } = harness();
  await store(letter({ id: 'abc-1' }), letter({ id: 'abd-2' }), letter({ id: 'abd' }));
  t.regex((await run('show', 'abc')).out, /^id +abc-1$/m);
  t.regex((await run('show', 'abd')).out, /^id +abd$/m, 'a whole id names itself');
  t.like(await run('show', 'ab'), { code: 2, out: '' });
  t.is((await run('show', 'x')).code, 1);
  t.regex((await run('drop', 'ab')).err, /the ids of 3 dead letters begin with "ab"/);
  t.regex((await run('drop', 'abc')).out, /^dropped +abc-1/m);
});

test('an id in upper case names the same letter', async (t) => {
  const { run, store } = harness();
  const id = 'ffffffff-fe05-4164-b03d-206cd50fd15a';
  await store(letter({ id }));
  t.regex((await run('show', id.toUpperCase())).out, new RegExp(`^id +${id}$`, 'm'));
  t.regex((await run('drop', id.toUpperCase())).out, /1 dead letter dropped/);
});

test('records that cannot be read are told of', async (t) => {
  const { run, store } = harness();
  await store('no JSON');
  t.regex((await run('list')).out, /1 record on the topic cannot be read/);
});

test('control characters of a letter do not reach the terminal', async (t) => {
  const { run, store } = harness();
  await store(letter({ reason: 'bad\u001B[2J' }));
  const { out } = await run('list');
  t.false(out.includes('\u001B'));
  t.regex(out, /bad\\u\{1b\}\[2J/);
});
