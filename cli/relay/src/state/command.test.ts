import { stateKey } from '@ranger-relay/actions';
import test, { type ExecutionContext } from 'ava';
import { park, harness } from '../actions/test/harness.ts';
import { stateCommand } from './command.ts';
import { revisionOf } from './change.ts';

const key = stateKey.of(park, 'pull');
const lease = stateKey.run(park, 'pull');
const watermark = '2025-12-31T00:00:00.000Z';
const stored = { last_execution: watermark, ranges: [{ from: watermark, to: null }] };

const start = async (t: ExecutionContext, value: unknown = stored) => {
  const made = await harness(t, {
    integration: null,
    commands: (dependencies) => [stateCommand({ ...dependencies, who: () => 'ranger@hut' })],
  });
  if (value !== null) await made.kv.state.set(key, typeof value === 'string' ? value : JSON.stringify(value));
  return { ...made, state: async () => JSON.parse((await made.kv.state.get(key)) ?? 'null') as unknown };
};

test('get prints the value and its revision; nothing stored is said', async (t) => {
  const { json, run } = await start(t);
  t.deepEqual(await json('state', 'get', park, 'pull'), {
    key,
    revision: revisionOf(JSON.stringify(stored)),
    value: stored,
  });
  t.deepEqual(await json('state', 'get', park, 'pull', '--source', 'event-7'), {
    key: stateKey.of(park, 'pull', 'event-7'),
    revision: 'none',
    value: null,
  });
  t.regex((await run('state', 'get', park, 'pull', '--source', 'event-7')).out, /^Nothing is stored\.\nrevision none$/);
});

test('a value that is no object is told by its key, not printed', async (t) => {
  const { run } = await start(t, 'no json');
  const { code, err } = await run('state', 'get', park, 'pull');
  t.is(code, 1);
  t.true(err.includes(key));
});

test('what looks like a secret is masked, and a masked value is not taken back', async (t) => {
  const { run, state } = await start(t, { cursor_token: 'hush' });
  const { out } = await run('state', 'get', park, 'pull');
  t.false(out.includes('hush'));
  const { code, err } = await run('state', 'set', park, 'pull', '{"cursor_token":"**********"}');
  t.is(code, 2);
  t.regex(err, /masked value/);
  t.deepEqual(await state(), { cursor_token: 'hush' });
});

test('list shows every key with size and age, and a run that is under way', async (t) => {
  const { json, run, kv } = await start(t);
  await kv.state.set(lease, 'somebody/');
  await kv.state.set(stateKey.of(park, 'pull', 'event.7'), '{"updated_at":"2025-12-30T00:00:00Z"}');
  await kv.state.set(stateKey.of('another', 'pull'), '{}');
  await kv.state.set(stateKey.of(`${park}x`, 'pull'), '{}');
  t.deepEqual(await json('state', 'list', park), [
    { action: 'pull', source: 'backfill-lock', bytes: 9, as_of: null, lease: true },
    { action: 'pull', source: 'event.7', bytes: 37, as_of: '2025-12-30T00:00:00.000Z', lease: false },
    { action: 'pull', source: 'no-source', bytes: JSON.stringify(stored).length, as_of: watermark, lease: false },
  ]);
  const { out } = await run('state', 'list', park);
  t.regex(out, /^pull +no-source +\d+ +1 d ago$/m);
  t.regex(out, /^pull +backfill-lock +9 +a run is in progress$/m);
  t.false(out.includes('somebody'));
  const cut = await run('state', 'list', park, '--limit', '1');
  t.regex(cut.err, /2 more entries left out/);
  t.is((await run('state', 'list', park, '--action', 'auth')).out, 'Nothing is stored.');
});

test('rollback sets the watermark back, keeps the back-fill unless told, and leaves a line in the activity log', async (t) => {
  const { run, state, entries } = await start(t);
  const { code, out, err } = await run('state', 'rollback', park, 'pull', '--to', '2025-12-01T00:00:00Z');
  t.is(code, 0);
  t.deepEqual(await state(), { ...stored, last_execution: '2025-12-01T00:00:00.000Z', attempt: 2 });
  t.regex(err, /--clear-backfill discards it/);
  t.regex(out, /ranger@hut {2}state rollback {2}revision/);
  const [entry] = await entries();
  t.is(entry?.event_type, 'IntegrationActionCustomLog');
  t.like(entry?.payload, {
    integration_id: park,
    action_id: 'pull',
    level: 20,
    title: 'State of pull changed by ranger@hut',
    data: {
      by: 'ranger@hut',
      command: 'state rollback',
      before: stored,
      after: { last_execution: '2025-12-01T00:00:00.000Z' },
    },
  });
  t.is((await run('state', 'rollback', park, 'pull', '--to', '60d', '--clear-backfill')).code, 0);
  t.deepEqual(await state(), { last_execution: '2025-11-02T00:00:00.000Z', attempt: 3 });
});

test('a first run that does not end can be given up', async (t) => {
  const { run, state } = await start(t, { ranges: [{ from: watermark, to: null }] });
  t.is((await run('state', 'rollback', park, 'pull', '--to', '1d')).code, 2);
  t.is((await run('state', 'rollback', park, 'pull', '--to', '1d', '--clear-backfill')).code, 0);
  t.deepEqual(await state(), { attempt: 2 });
});

test('rollback only goes back', async (t) => {
  const { run, state } = await start(t);
  t.is((await run('state', 'rollback', park, 'pull', '--to', '2026-01-01T00:00:00Z')).code, 2);
  t.deepEqual(await state(), stored);
  const fresh = await start(t, null);
  t.regex((await fresh.run('state', 'rollback', park, 'pull', '--to', '1d')).err, /No run has finished yet/);
  t.is(await fresh.state(), null);
  t.deepEqual(await fresh.entries(), []);
});

for (const [command, ...args] of [
  ['set', '{"last_execution":"2025-12-01T00:00:00.000Z"}'],
  ['rollback', '--to', '2025-12-01T00:00:00Z'],
] as const) {
  test(`${command} refuses while a run holds the lease, unless forced`, async (t) => {
    const { run, kv, state, entries } = await start(t, { last_execution: watermark });
    await kv.state.set(lease, 'somebody/');
    const { code, err } = await run('state', command, park, 'pull', ...args);
    t.is(code, 1);
    t.regex(err, /is running and uses this state; nothing was changed/);
    t.deepEqual(await state(), { last_execution: watermark });
    t.deepEqual(await entries(), []);
    t.is((await run('state', command, park, 'pull', ...args, '--force')).code, 0);
    t.like(await state(), { last_execution: '2025-12-01T00:00:00.000Z' });
    t.is(await kv.state.get(lease), 'somebody/');
  });

  test(`${command} holds the place of a run while it changes, and gives it back`, async (t) => {
    const { run, kv } = await start(t, { last_execution: watermark });
    const ops: string[] = [];
    kv.state.before = (call) => void ops.push(`${call.op} ${call.key}`);
    t.is((await run('state', command, park, 'pull', ...args)).code, 0);
    t.is(await kv.state.get(lease), null);
    t.true(ops.indexOf(`setIfAbsent ${lease}`) < ops.indexOf(`get ${key}`));
    t.true(ops.indexOf(`compareAndDelete ${lease}`) > ops.indexOf(`compareAndSet ${key}`));
  });

  test(`${command} writes only over the revision that was shown`, async (t) => {
    const { run, state } = await start(t, { last_execution: watermark });
    const { code, err } = await run('state', command, park, 'pull', ...args, '--if', '0123456789ab');
    t.is(code, 1);
    t.regex(err, /has changed since it was shown/);
    t.deepEqual(await state(), { last_execution: watermark });
    const revision = revisionOf(JSON.stringify({ last_execution: watermark }));
    t.is((await run('state', command, park, 'pull', ...args, '--if', revision)).code, 0);
  });

  test(`${command} does not overwrite what somebody writes meanwhile`, async (t) => {
    const { run, kv, state } = await start(t, { last_execution: watermark });
    const { get } = kv.state;
    Object.assign(kv.state, {
      get: async (name: string) => {
        const text = await get(name);
        if (name === key) await kv.state.set(key, '{"last_execution":"2025-12-31T12:00:00.000Z"}');
        return text;
      },
    });
    const { code, err } = await run('state', command, park, 'pull', ...args);
    t.is(code, 1);
    t.regex(err, /has changed since it was shown/);
    Object.assign(kv.state, { get });
    t.deepEqual(await state(), { last_execution: '2025-12-31T12:00:00.000Z' });
  });
}

test('a change that the activity log could not be told of says so and prints its line all the same', async (t) => {
  const { run, bus, state } = await start(t);
  await bus.close();
  const { code, out, err } = await run('state', 'set', park, 'pull', '{}');
  t.is(code, 1);
  t.deepEqual(await state(), {});
  t.regex(out, /ranger@hut {2}state set/);
  t.regex(err, /was changed, but the change could not be written to the activity log/);
});

test('the lease itself, unknown actions and what is no object are refused as wrong calls', async (t) => {
  const { run, kv } = await start(t);
  for (const args of [
    ['pull', '{}', '--source', 'backfill-lock'],
    ['fly', '{}'],
    ['pull', '[]'],
    ['pull', '{'],
    ['Pull.no-source', '{}'],
  ])
    t.is((await run('state', 'set', park, ...args)).code, 2, args.join(' '));
  t.is(await kv.state.get(lease), null);
});
