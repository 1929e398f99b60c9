import test from 'ava';
import { entry, integration, harness } from './test/harness.ts';

const ids = (lines: readonly string[]): string[] =>
  lines.map((line) => (JSON.parse(line) as { event_id: string }).event_id);

test('entries of all partitions are printed in time order', async (t) => {
  const { run, shell, store, open } = harness();
  await store(...[5, 1, 4, 2, 3, 9, 8, 7, 6].map((n) => entry(n)));
  t.is(await run('--output', 'json'), 0);
  t.deepEqual(
    ids(shell.lines),
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `event-${n}`),
  );
  t.is(open(), 0);
});

test('as text an entry is one line: time, level, integration, what happened', async (t) => {
  const { run, shell, store } = harness();
  await store(entry(1, { result: { total_observations: 2, total_messages: 1 } }));
  await run();
  t.deepEqual(shell.lines, [
    `2026-01-01T00:00:01.000Z  INFO   ${integration}  WebhookComplete  total_observations=2 total_messages=1`,
  ]);
});

test('--integration and --since pick', async (t) => {
  const { run, shell, store } = harness();
  await store(entry(1), entry(10), entry(10, { integration_id: 'other' }), entry(20, { integration_id: null }));
  await shell.clock.advance(15_000);
  await run('--output', 'json', '--integration', integration, '--since', '10s');
  t.deepEqual(ids(shell.lines), ['event-10']);
});

test('--limit keeps the newest', async (t) => {
  const { run, shell, store } = harness();
  await store(...[1, 2, 3, 4].map((n) => entry(n)));
  await run('--output', 'json', '--limit', '1');
  t.deepEqual(ids(shell.lines), ['event-4']);
  t.deepEqual(shell.errors, []);
});

test('without a limit the newest thousand are printed, and that older ones are left out is said', async (t) => {
  const { run, shell, store } = harness();
  await store(...Array.from({ length: 1_002 }, (_, n) => entry(n)));
  await run('--output', 'json');
  t.is(shell.lines.length, 1_000);
  t.deepEqual(shell.errors, ['2 older entries left out; --limit shows more.']);
});

test('what is no entry is passed over, and an entry of a newer version is printed', async (t) => {
  const { run, shell, store } = harness();
  await store('no JSON', '{}', { ...entry(1), event_type: 'IntegrationSlept' });
  t.is(await run(), 0);
  t.regex(shell.lines.join('\n'), /^\S+ {2}INFO {3}\S+ {2}Slept$/);
});

test('--follow prints the past, then what comes, each once, until it is interrupted', async (t) => {
  const { run, shell, store, printed, open } = harness();
  await store(entry(1), entry(2));
  const running = run('--follow', '--output', 'json');
  await printed(2);
  await store(entry(3));
  await printed(3);
  await store(entry(4, { integration_id: 'other' }));
  await printed(4);
  shell.interrupt();
  t.is(await running, 0);
  t.deepEqual(ids(shell.lines), ['event-1', 'event-2', 'event-3', 'event-4']);
  t.is(open(), 0);
});

test('--follow on an empty log waits and ends with 0 when interrupted', async (t) => {
  const { run, shell } = harness();
  const running = run('--follow');
  await new Promise((resolve) => setImmediate(resolve));
  shell.interrupt();
  t.is(await running, 0);
  t.deepEqual(shell.lines, []);
});

for (const args of [
  ['--since', 'yesterday'],
  ['--limit', '0'],
  ['--output', 'xml'],
])
  test(`the call with "${args.join(' ')}" is wrong`, async (t) => {
    const { run, open } = harness();
    t.is(await run(...args), 2);
    t.is(open(), 0);
  });

test('control characters of an entry do not reach the terminal', async (t) => {
  const { run, shell, store } = harness();
  await store(entry(1, { title: 'a\u001B[2Jb\nc' }));
  await run();
  t.is(shell.lines.length, 1);
  t.regex(shell.lines[0] ?? '', /a\\u\{1b\}\[2Jb c$/);
});

test('--follow says when `up` has ended and when it runs again', async (t) => {
  const { run, shell, store, printed, up } = harness();
  await store(entry(1));
  const running = run('--follow');
  await printed(1);
  await shell.clock.advance(2_000);
  t.deepEqual(shell.errors, []);
  up.running = false;
  await shell.clock.advance(2_000);
  await shell.clock.advance(2_000);
  t.deepEqual(shell.errors, ['`up` does not run; new entries come once it does.']);
  up.running = true;
  await shell.clock.advance(2_000);
  t.is(shell.errors.at(-1), '`up` runs again.');
  shell.interrupt();
  t.is(await running, 0);
});
