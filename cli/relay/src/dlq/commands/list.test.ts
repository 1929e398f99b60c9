import test from 'ava';
import { integration, letter, world } from '../test/world.ts';

test('with nothing to do the list says so and ends with 0', async (t) => {
  const { run } = await world(t);
  t.deepEqual(await run('list'), { code: 0, out: 'No dead letters wait.', err: '' });
});

test('the table holds a line per live letter, oldest first', async (t) => {
  const { run, store } = await world(t);
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
    const { run, store } = await world(t);
    await store(
      letter({ id: 'wanted', integration_id: 'other', kind: 'webhook_event', reason: 'bad_time' }),
      letter({ id: 'not-wanted' }),
    );
    const { out } = await run('list', option, value);
    t.regex(out, /^wanted/m);
    t.notRegex(out, /not-wanted/);
  });

test('as JSON the list is an array of heads without bodies', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ id: 'a' }));
  const { out } = await run('list', '--output', 'json');
  const [head, ...more] = JSON.parse(out) as Record<string, unknown>[];
  t.deepEqual(more, []);
  t.like(head, { id: 'a', kind: 'message', integration_id: integration, reason: 'item_refused', attempts: 1 });
  t.false('body_base64' in (head ?? {}));
});

test('dropped and replayed letters are not listed', async (t) => {
  const { run, store, kv } = await world(t);
  await store(letter({ id: 'dropped' }), letter({ id: 'replayed' }), letter({ id: 'live' }));
  await kv.state.set('dlq.dropped', '{"state":"dropped","at":"2026-01-01T00:00:00.000Z"}');
  await kv.state.set('dlq.replayed', '{"state":"replayed","at":"2026-01-01T00:00:00.000Z"}');
  const { out } = await run('list');
  t.notRegex(out, /^(dropped|replayed)/m);
  t.regex(out, /^live/m);
});

test('records that cannot be read are told of', async (t) => {
  const { run, store } = await world(t);
  await store('no JSON');
  t.regex((await run('list')).out, /1 record on the topic cannot be read/);
});

test('control characters of a letter do not reach the terminal', async (t) => {
  const { run, store } = await world(t);
  await store(letter({ reason: 'bad\u001B[2J' }));
  const { out } = await run('list');
  t.false(out.includes('\u001B'));
  t.regex(out, /bad\\u\{1b\}\[2J/);
});
