import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { openTokensFile } from './tokens-file.ts';

const setUp = (t: { teardown(end: () => void): void }, content: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-tokens-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'tokens.json');
  writeFileSync(path, content);
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log });
  const stale = async (): Promise<boolean> => /^relay_webhook_tokens_stale 1$/m.test(await context.metrics.render());
  const errors = (): number => lines.filter(({ level }) => level === 'error').length;
  return { path, clock, context, lines, stale, errors };
};

const idsOf = (table: ReadonlyMap<string, unknown>): string[] => [...table.keys()];

test('a changed file is in force a second later', async (t) => {
  const { path, clock, context } = setUp(t, '{"a":["1"]}');
  const file = openTokensFile(path, context);
  t.deepEqual(idsOf(await file.current()), ['a']);
  writeFileSync(path, '{"a":["1"],"b":["2"]}');
  t.deepEqual(idsOf(await file.current()), ['a']);
  await clock.advance(1_000);
  t.deepEqual(idsOf(await file.current()), ['a', 'b']);
});

test('a file that was put in place of the old one is seen', async (t) => {
  const { path, clock, context } = setUp(t, '{"a":["1"]}');
  const file = openTokensFile(path, context);
  writeFileSync(`${path}.new`, '{"b":["1"]}');
  renameSync(`${path}.new`, path);
  await clock.advance(1_000);
  t.deepEqual(idsOf(await file.current()), ['b']);
});

test('a Secret that changed in the cluster is seen: its folder is swapped by a link', async (t) => {
  const { path, context, clock } = setUp(t, '');
  const folder = dirname(path);
  rmSync(path);
  for (const [name, content] of [
    ['first', '{"a":["1"]}'],
    ['second', '{"b":["1"]}'],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'tokens.json'), content);
  }
  symlinkSync('first', join(folder, '..data'));
  symlinkSync(join('..data', 'tokens.json'), path);
  const file = openTokensFile(path, context);
  t.deepEqual(idsOf(await file.current()), ['a']);
  symlinkSync('second', join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
  await clock.advance(1_000);
  t.deepEqual(idsOf(await file.current()), ['b']);
});

test('between looks the file is not touched and nothing is waited for', (t) => {
  const { path, context } = setUp(t, '{"a":["1"]}');
  const file = openTokensFile(path, context);
  rmSync(path);
  t.true(file.current() instanceof Map);
});

for (const [name, spoil] of [
  ['broken', (path: string) => writeFileSync(path, '{"a":')],
  ['missing', (path: string) => rmSync(path)],
  ['huge', (path: string) => writeFileSync(path, ' '.repeat(9_000_000))],
] as const)
  test(`a ${name} file leaves the last good one in force, says so once, and is forgiven when fixed`, async (t) => {
    const { path, clock, context, stale, errors } = setUp(t, '{"a":["1"]}');
    const file = openTokensFile(path, context);
    spoil(path);
    for (let look = 0; look < 3; look++) {
      await clock.advance(1_000);
      t.deepEqual(idsOf(await file.current()), ['a']);
    }
    t.true(await stale());
    t.is(errors(), 1);
    writeFileSync(path, '{"b":["2"]}');
    await clock.advance(1_000);
    t.deepEqual(idsOf(await file.current()), ['b']);
    t.false(await stale());
  });

test('requests that arrive during a look share it', async (t) => {
  const { path, clock, context, errors } = setUp(t, '{"a":["1"]}');
  const file = openTokensFile(path, context);
  rmSync(path);
  await clock.advance(1_000);
  const tables = await Promise.all([file.current(), file.current(), file.current()]);
  t.is(new Set(tables).size, 1);
  t.is(errors(), 1);
});

for (const [name, content] of [
  ['missing', undefined],
  ['broken', '{"a":'],
] as const)
  test(`a ${name} file at the start stops it with one sentence`, (t) => {
    const { path, context } = setUp(t, content ?? '{}');
    if (content === undefined) rmSync(path);
    const error = t.throws(() => openTokensFile(path, context));
    t.regex(error?.message ?? '', /^WEBHOOK_TOKENS_FILE names the file .*tokens\.json, which cannot be used: /);
  });
