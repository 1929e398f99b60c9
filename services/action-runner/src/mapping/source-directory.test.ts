import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import { BoundedMap } from '@ranger-relay/runtime';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { createSourceDirectory } from './source-directory.ts';

/** A directory of a site on which each source has a manufacturer's id. */
const directoryOf = (isTimeUp = () => false) => {
  const asked: string[] = [];
  const directory = createSourceDirectory({
    site: {
      get(path) {
        asked.push(path);
        const [, id] = /^source\/(\w+)\/$/.exec(path) ?? [];
        if (id === 'gone') return Promise.reject(new RelayError('site_not_found', { details: { target: path } }));
        return Promise.resolve(id === undefined ? [] : { id, manufacturer_id: `COLLAR-${id}` });
      },
    },
    log: recordingLogger().log,
    signal: new AbortController().signal,
    clock: manualClock(0),
    integrationId: 'park',
    silentSince: new BoundedMap(10),
    onMore: () => undefined,
    isTimeUp,
  });
  return { directory, asked };
};

test('whatever is forgotten for its number, the facts of each source that was asked for are told', async (t) => {
  const { directory } = directoryOf();
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
  const { directory, asked } = directoryOf(() => true);
  t.is((await directory.factsOf(['s1'])).get('s1')?.manufacturerId, 'COLLAR-s1');
  t.deepEqual(asked, ['source/s1/']);
});

test('a source that the site does not know has no manufacturer’s id, and is not asked for again', async (t) => {
  const { directory, asked } = directoryOf(() => true);
  for (let n = 0; n < 2; n += 1) t.is((await directory.factsOf(['gone'])).get('gone')?.manufacturerId, undefined);
  t.is(asked.length, 1);
});
