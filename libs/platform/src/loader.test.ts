import { setImmediate } from 'node:timers/promises';
import { isRelayError } from '@ranger-relay/errors';
import { memoryKv } from '@ranger-relay/kv/testing';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { configKey, decodeEntry, type Entry, putEntry } from './config-entry.ts';
import { readSnapshot } from './integration.ts';
import { createCallSingleflight, createLoader, entriesOf } from './loader.ts';
import { parkId, wholeIntegration } from './test/platform-answers.ts';

test('keys do not wait for each other, but too many are refused', async (t) => {
  const singleflight = createCallSingleflight<number>(2);
  const wait = Promise.withResolvers<number>();
  const running = [singleflight.run('a', () => wait.promise), singleflight.run('b', () => wait.promise)];
  const error = await t.throwsAsync(singleflight.run('c', () => Promise.resolve(1)));
  t.true(isRelayError(error, 'platform_unavailable'));
  wait.resolve(1);
  await Promise.all(running);
  t.is(await singleflight.run('c', () => Promise.resolve(3)), 3);
});

const setUp = (get: (path: string) => Promise<unknown> = () => Promise.resolve(wholeIntegration())) => {
  const clock = manualClock();
  const kv = memoryKv(clock);
  const { log, lines } = recordingLogger();
  const paths: string[] = [];
  const api = {
    get: (path: string) => {
      paths.push(path);
      return get(path);
    },
  };
  return { clock, kv, lines, paths, loader: createLoader(api, kv.config, clock, log) };
};

test('entries carry the time of the question, not of the answer', async (t) => {
  const late = Promise.withResolvers<unknown>();
  const { clock, kv, loader } = setUp(() => late.promise);
  const asked = clock.now();
  const loading = loader.load(parkId);
  await clock.advance(10_000);
  late.resolve(wholeIntegration());
  t.is((await loading).loadedAt, asked);
  await clock.advance(0);
  t.is(decodeEntry(kv.config.entries.get(configKey.webhook(parkId))?.value ?? null)?.loadedAt, asked);
});

test('stored integrations hold no configurations', async (t) => {
  const { clock, kv, loader } = setUp();
  await loader.load(parkId);
  await clock.advance(0);
  t.notRegex(kv.config.entries.get(configKey.integration(parkId))?.value ?? '', /configurations|include_messages/);
});

test('one id is asked for once at a time, and again afterwards', async (t) => {
  const { paths, loader } = setUp();
  const [one, other] = await Promise.all([loader.load(parkId), loader.load(parkId)]);
  t.is(one, other);
  await loader.load(parkId);
  t.deepEqual(paths, [`/v2/integrations/${parkId}/`, `/v2/integrations/${parkId}/`]);
});

test('a load that a change overtook stores nothing, the next one does', async (t) => {
  const late = Promise.withResolvers<unknown>();
  const { clock, kv, loader } = setUp(() => late.promise);
  const loading = loader.load(parkId);
  await clock.advance(0);
  loader.invalidate(parkId);
  loader.invalidate('never heard of');
  late.resolve(wholeIntegration());
  t.false((await loading).valid());
  await clock.advance(0);
  t.is(kv.config.entries.size, 0);
  t.true((await loader.load(parkId)).valid());
  await clock.advance(0);
  t.is(kv.config.entries.size, 4);
});

test('a change overtakes both loads of an integration that became known between them', async (t) => {
  const late = Promise.withResolvers<unknown>();
  const { clock, kv, paths, loader } = setUp(() => late.promise);
  const first = loader.load(parkId);
  await clock.advance(0);
  const known = entriesOf(parkId, { loadedAt: clock.now(), snapshot: readSnapshot(wholeIntegration()) });
  await putEntry(kv.config, configKey.integration(parkId), known.get(configKey.integration(parkId)) as Entry);
  const second = loader.load(parkId);
  await clock.advance(0);
  t.is(paths.length, 2);
  loader.invalidate(parkId);
  late.resolve(wholeIntegration());
  t.false((await first).valid());
  t.false((await second).valid());
});

test('a store that is down costs a line in the log', async (t) => {
  const { clock, kv, lines, loader } = setUp();
  kv.config.away = true;
  t.is((await loader.load(parkId)).snapshot?.integration.id, parkId);
  await clock.advance(0);
  t.is(lines.length, 1);
  t.is(lines[0]?.['level'], 'debug');
});

test('what is no integration is a transient failure, and leaves the store alone', async (t) => {
  const { kv, loader } = setUp(() => Promise.resolve({ detail: 'odd' }));
  t.true(isRelayError(await t.throwsAsync(loader.load(parkId)), 'platform_unavailable'));
  t.is(kv.config.entries.size, 0);
});

test('an unknown integration fills the two entries with null', (t) => {
  t.deepEqual(
    [...entriesOf('a', { loadedAt: 5, snapshot: null })],
    [
      ['integration.a', { loadedAt: 5, value: null }],
      ['integrationconfig.a.webhook', { loadedAt: 5, value: null }],
    ],
  );
  t.is(entriesOf(parkId, { loadedAt: 5, snapshot: readSnapshot(wholeIntegration()) }).size, 4);
});

test('however many unknown ids are asked for, a known integration still gets its call', async (t) => {
  const hanging = Promise.withResolvers<unknown>();
  const { loader, paths } = setUp((path) =>
    path.includes(parkId) ? Promise.resolve(wholeIntegration()) : hanging.promise,
  );
  await loader.load(parkId);
  await setImmediate();
  const others = Array.from({ length: 300 }, (_, n) => loader.load(`made-up-${n}`).catch((error: unknown) => error));
  await setImmediate();
  t.not((await loader.load(parkId)).snapshot, null);
  t.is(paths.length, 2 + 50);
  hanging.resolve(undefined);
  const outcomes = await Promise.all(others);
  t.is(outcomes.filter((outcome) => isRelayError(outcome, 'platform_unavailable')).length, 250);
});
