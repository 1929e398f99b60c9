import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import { blockListOf } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { integrationIdOf, isTrustedPeer, normalizeAddress } from './authenticate.ts';
import { isTokenValid, normalizeId, openTokensFile, parseTokenTable, tokensFileWarning } from './tokens-file.ts';

const setUp = (t: { teardown(end: () => void): void }, content: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-tokens-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'tokens.json');
  writeFileSync(path, content);
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log });
  const stale = (): boolean => context.conditions.find('webhook_tokens_stale', context.service) !== undefined;
  const told = (): number => lines.filter(({ remedy }) => remedy !== undefined).length;
  return { path, clock, context, lines, stale, told };
};

const [parkA, parkB] = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'] as const;

/** The text of a file with these tokens. */
const fileOf = (...ids: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(ids.map((id) => [id, [`token of ${id}`]])));

const idsOf = (table: ReadonlyMap<string, unknown>): string[] => [...table.keys()];

test('a changed file is in force within a second, without a request', async (t) => {
  const { path, clock, context } = setUp(t, fileOf(parkA));
  const file = openTokensFile(path, context);
  t.deepEqual(idsOf(file.current()), [parkA]);
  writeFileSync(path, fileOf(parkA, parkB));
  await clock.advance(1_000);
  // Waits for the look that has begun.
  await context.lifecycle.stop();
  t.deepEqual(idsOf(file.current()), [parkA, parkB]);
  t.is(clock.pending(), 0);
});

test('a file that was put in place of the old one is seen', async (t) => {
  const { path, context } = setUp(t, fileOf(parkA));
  const file = openTokensFile(path, context);
  writeFileSync(`${path}.new`, fileOf(parkB));
  renameSync(`${path}.new`, path);
  await file.look();
  t.deepEqual(idsOf(file.current()), [parkB]);
});

test('a Secret that changed in the cluster is seen: its folder is swapped by a link', async (t) => {
  const { path, context } = setUp(t, '');
  const folder = dirname(path);
  rmSync(path);
  for (const [name, content] of [
    ['first', fileOf(parkA)],
    ['second', fileOf(parkB)],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'tokens.json'), content);
  }
  symlinkSync('first', join(folder, '..data'));
  symlinkSync(join('..data', 'tokens.json'), path);
  const file = openTokensFile(path, context);
  t.deepEqual(idsOf(file.current()), [parkA]);
  symlinkSync('second', join(folder, '..new'));
  renameSync(join(folder, '..new'), join(folder, '..data'));
  await file.look();
  t.deepEqual(idsOf(file.current()), [parkB]);
});

for (const [name, spoil] of [
  ['broken', (path: string) => writeFileSync(path, '{"a":')],
  ['missing', (path: string) => rmSync(path)],
  ['huge', (path: string) => writeFileSync(path, ' '.repeat(9_000_000))],
] as const)
  test(`a ${name} file leaves the last good one in force, says so once, and is forgiven when fixed`, async (t) => {
    const { path, context, stale, told } = setUp(t, fileOf(parkA));
    const file = openTokensFile(path, context);
    spoil(path);
    for (let look = 0; look < 3; look++) {
      await file.look();
      t.deepEqual(idsOf(file.current()), [parkA]);
    }
    t.true(stale());
    t.is(told(), 1);
    writeFileSync(path, fileOf(parkB));
    await file.look();
    t.deepEqual(idsOf(file.current()), [parkB]);
    t.false(stale());
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

const id = '11111111-1111-4111-8111-111111111111';
const none = { consumer: undefined, header: undefined, query: undefined };

test('consumer, header and query count in this order', (t) => {
  t.is(integrationIdOf({ consumer: `integration:${id}`, header: 'h', query: 'q' }), id);
  t.is(integrationIdOf({ ...none, header: 'h', query: 'q' }), 'h');
  t.is(integrationIdOf({ ...none, query: 'q' }), 'q');
  t.is(integrationIdOf(none), undefined);
});

test('of a consumer what follows the last colon counts, and an anonymous one is nobody', (t) => {
  t.is(integrationIdOf({ ...none, consumer: `a:b:${id}`, header: 'h' }), id);
  t.is(integrationIdOf({ ...none, consumer: 'anonymous', header: 'h' }), 'h');
  t.is(integrationIdOf({ ...none, consumer: 'integration:', header: 'h' }), 'h');
});

test('ids are trimmed, UUIDs are compared in lower case', (t) => {
  t.is(normalizeId(` ${id} `), id);
  t.is(normalizeId('ABCDEF12-1111-4111-8111-111111111111'), 'abcdef12-1111-4111-8111-111111111111');
  t.is(normalizeId('Park_1'), 'Park_1');
});

for (const text of ['', '.', '..', '../a', 'a/b', 'a:b', 'a b', 'a?b', 'ä', '-a', 'a\n', 'a'.repeat(101)])
  test(`${JSON.stringify(text.slice(0, 10))} (${text.length}) ${text === 'a\n' ? 'is trimmed to an id' : 'is no id'}`, (t) => {
    t.is(normalizeId(text), text === 'a\n' ? 'a' : undefined);
  });

test('addresses lose their zone and their IPv6 wrapping', (t) => {
  t.is(normalizeAddress('::ffff:10.0.0.1'), '10.0.0.1');
  t.is(normalizeAddress('::FFFF:10.0.0.1'), '10.0.0.1');
  t.is(normalizeAddress('fe80::1%eth0'), 'fe80::1');
  t.is(normalizeAddress('10.0.0.1'), '10.0.0.1');
});

test('an IPv4 network does not trust IPv6 addresses that only look alike', (t) => {
  const networks = blockListOf(['10.0.0.0/8']);
  t.true(isTrustedPeer(networks, '10.255.0.1'));
  t.false(isTrustedPeer(networks, '::10.0.0.1'));
  t.false(isTrustedPeer(networks, '10.0.0'));
  t.false(isTrustedPeer(blockListOf([]), '10.0.0.1'));
});

const digest = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`;

test('plain tokens and digests are valid side by side', (t) => {
  const table = parseTokenTable(
    JSON.stringify({ [parkA]: ['first-token', digest('second-token')], [parkB]: ['third-token'] }),
  );
  t.true(isTokenValid(table, parkA, ['first-token']));
  t.true(isTokenValid(table, parkA, ['second-token']));
  t.true(isTokenValid(table, parkA, ['wrong', 'second-token']));
  t.false(isTokenValid(table, parkA, ['third-token']));
  t.false(isTokenValid(table, parkA, [digest('second-token')]));
  t.false(isTokenValid(table, parkA, []));
});

test('an integration without tokens lets nobody in, not even by an empty digest', (t) => {
  const table = parseTokenTable(JSON.stringify({ [parkA]: [] }));
  for (const id of [parkA, 'unknown', 'constructor'])
    for (const token of ['', '\0', 'anything']) t.false(isTokenValid(table, id, [token]));
});

test('ids in capitals and in lower case are one integration', (t) => {
  const table = parseTokenTable(JSON.stringify({ [parkA.toUpperCase()]: ['first-token'], [parkA]: ['second-token'] }));
  t.is(table.size, 1);
  t.true(isTokenValid(table, parkA, ['first-token']));
  t.true(isTokenValid(table, parkA, ['second-token']));
});

for (const [name, text] of [
  ['no JSON', `{"${parkA}":["secret-value"`],
  ['a list', '["secret-value"]'],
  ['a token outside a list', `{"${parkA}":"secret-value"}`],
  ['an empty token', `{"${parkA}":["secret-value",""]}`],
  ['a short token', `{"${parkA}":["secret-value","x"]}`],
  ['a number as token', `{"${parkA}":["secret-value",5]}`],
  ['a short digest', `{"${parkA}":["secret-value","sha256:abc"]}`],
  ['a token where the id belongs', `{"secret-value":["${parkA}"]}`],
] as const)
  test(`${name} is refused in words that hold no token`, (t) => {
    const error = t.throws(() => parseTokenTable(text));
    t.false(error?.message.includes('secret-value'));
  });

test('a file tells all its faults at once, each with its integration, and no token', (t) => {
  const tokens = { [parkA]: ['secret-value', 'x', 5, 'sha256:abc'], 'secret-value': [], [parkB]: 'secret-value' };
  const error = t.throws(() => parseTokenTable(JSON.stringify(tokens)));
  t.deepEqual(error?.message.split('; '), [
    `token 2 of ${parkA} has fewer than 8 characters`,
    `token 3 of ${parkA} is not a text`,
    `token 4 of ${parkA} starts with "sha256:" and does not have 64 hex digits after it`,
    'its key number 2 is not the id of an integration, which is a UUID',
    `what it has for ${parkB} is not a list of tokens`,
  ]);
});

for (const text of ['{}', JSON.stringify({ [parkA]: [] })])
  test(`the start warns of a file in which no integration has a token: ${text}`, (t) => {
    const { path, context, lines } = setUp(t, text);
    openTokensFile(path, context);
    t.is(lines.filter(({ level }) => level === 'warn').length, 1);
    t.is(lines[0]?.['msg'], tokensFileWarning(path));
  });

testProp(
  'exactly the listed tokens are valid',
  [fc.uniqueArray(fc.string({ minLength: 8 }), { minLength: 2 })],
  (t, all) => {
    const [other, ...listed] = all as [string, ...string[]];
    const usable = listed.filter((token) => !token.startsWith('sha256:'));
    const table = parseTokenTable(JSON.stringify({ [parkA]: usable }));
    for (const token of usable) t.true(isTokenValid(table, parkA, [token]));
    t.false(isTokenValid(table, parkA, [other]));
  },
);

test('the tokens file that the README shows is accepted', (t) => {
  const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
  const [, text = ''] = /```json\n(\{\s+"5e0c3c5e[^]*?)```/.exec(readme) ?? [];
  t.is(parseTokenTable(text).size, 1);
});
