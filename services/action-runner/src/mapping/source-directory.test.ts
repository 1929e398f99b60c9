import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { createSourceDirectory, createSourceMemory } from './source-directory.ts';

/** Directories of one process, of a site on which each source has a manufacturer's id. */
const setUp = (isTimeUp = () => false) => {
  const asked: string[] = [];
  const clock = manualClock(0);
  const memory = createSourceMemory();
  const site = { hangs: false, silentAbout: new Set<string>() };
  const open = () =>
    createSourceDirectory({
      site: {
        get(path, _, { signal } = {}) {
          asked.push(path);
          const [, id] = /^source\/(\w+)\/$/.exec(path) ?? [];
          if (site.hangs)
            return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
          if (site.silentAbout.has(id ?? ''))
            return Promise.reject(
              new RelayError('site_unavailable', { details: { target: path, reason: '503', tries: 4 } }),
            );
          if (id === 'gone') return Promise.reject(new RelayError('site_not_found', { details: { target: path } }));
          return Promise.resolve(id === undefined ? [] : { id, manufacturer_id: `COLLAR-${id}` });
        },
      },
      log: recordingLogger().log,
      signal: new AbortController().signal,
      clock,
      integrationId: 'park',
      memory,
      onMore: () => undefined,
      isTimeUp,
    });
  return { open, directory: open(), asked, clock, site };
};

test('what one run has learnt of a source the next one knows, for an hour', async (t) => {
  const { open, asked, clock } = setUp(() => true);
  for (let n = 0; n < 3; n += 1) t.is((await open().factsOf(['s1'])).get('s1')?.manufacturerId, 'COLLAR-s1');
  t.deepEqual(asked, ['source/s1/']);
  await clock.advance(3_600_000);
  await open().factsOf(['s1']);
  t.is(asked.length, 2);
});

test('a site that hangs on its sources fails a page in half a minute; after half an hour rows go on without, whatever their number', async (t) => {
  const { open, clock, site, asked } = setUp(() => true);
  site.hangs = true;
  const failing = t.throwsAsync(open().factsOf(['s1', 's2']), {
    message: /no usable answer|does not answer|there in time/,
  });
  await clock.advance(30_000);
  await failing;
  await clock.advance(1_800_000);
  asked.length = 0;
  const all = open().factsOf(Array.from({ length: 500 }, (_, n) => `s${n}`));
  for (let n = 0; n < 10; n += 1) await clock.advance(30_000);
  t.true([...(await all).values()].every(({ manufacturerId }) => manufacturerId === undefined));
  t.true(asked.length <= 10, `${asked.length} requests`);
  site.hangs = false;
  t.is((await open().factsOf(['s400'])).get('s400')?.manufacturerId, 'COLLAR-s400');
});

test('a source that the site is silent about takes from no other the half hour that its rows wait for an answer', async (t) => {
  const { open, clock, site } = setUp(() => true);
  const ask = async (...ids: string[]) =>
    [...(await open().factsOf(ids)).values()].map(({ manufacturerId }) => manufacturerId);
  site.silentAbout.add('x');
  for (let n = 0; n < 3; n += 1) {
    await t.throwsAsync(ask('y', 'x'));
    await clock.advance(600_000);
  }
  t.deepEqual(await ask('y', 'x'), ['COLLAR-y', undefined]);
  site.silentAbout.add('z');
  await t.throwsAsync(ask('y', 'z'));
  t.deepEqual(await ask('y'), ['COLLAR-y']);
  site.silentAbout.delete('z');
  t.deepEqual(await ask('y', 'z'), ['COLLAR-y', 'COLLAR-z']);
  // The answer shows that the site is not silent about all.
  site.silentAbout.add('w');
  await t.throwsAsync(ask('w'));
  await clock.advance(1_800_000);
  t.deepEqual(await ask('w'), [undefined]);
});

test('whatever is forgotten for its number, the facts of each source that was asked for are told', async (t) => {
  const { directory } = setUp();
  await directory.factsOf(Array.from({ length: 20_000 }, (_, n) => `s${n}`));
  const facts = await directory.factsOf(['s7', 'new']);
  t.deepEqual(
    [...facts].map(([id, { manufacturerId }]) => [id, manufacturerId]),
    [
      ['s7', 'COLLAR-s7'],
      ['new', 'COLLAR-new'],
    ],
  );
});

test('once the time is up names are left out, and a source keeps the manufacturer’s id', async (t) => {
  const { directory, asked } = setUp(() => true);
  t.is((await directory.factsOf(['s1'])).get('s1')?.manufacturerId, 'COLLAR-s1');
  t.deepEqual(asked, ['source/s1/']);
});

test('a source that the site does not know has no manufacturer’s id, and is not asked for again', async (t) => {
  const { directory, asked } = setUp(() => true);
  for (let n = 0; n < 2; n += 1) t.is((await directory.factsOf(['gone'])).get('gone')?.manufacturerId, undefined);
  t.is(asked.length, 1);
});
