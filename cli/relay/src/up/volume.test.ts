import { tmpdir } from 'node:os';
import type { statfs } from 'node:fs/promises';
import { RelayError } from '@ranger-relay/errors';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { fullVolume, startFailure, watchVolume } from './volume.ts';

const MiB = 1_048_576;

/** A volume of 1 GiB with room that the test sets; undefined: it cannot be read. */
const setUp = (t: ExecutionContext, path: string, read: () => number | undefined) => {
  const clock = manualClock();
  const context = testContext({ clock });
  t.teardown(() => context.lifecycle.stop());
  const fake = async () => {
    const free = read();
    if (free === undefined) throw new Error('ENOENT');
    return { bavail: free, blocks: 1_024, bsize: MiB };
  };
  watchVolume(context, path, fake as unknown as typeof statfs);
  const look = async (): Promise<readonly string[]> => {
    await clock.advance(10_000);
    return context.conditions.active().map(({ name }) => name);
  };
  return { look };
};

test('a volume is low below a tenth of its space, full below 16 MiB, and well again when there is room', async (t) => {
  let free: number | undefined = 500;
  const { look } = setUp(t, '/data', () => free);
  t.deepEqual(await look(), []);
  free = 100;
  t.deepEqual(await look(), ['volume_low']);
  free = 10;
  t.deepEqual(await look(), ['volume_full']);
  free = undefined;
  t.deepEqual(await look(), ['volume_full'], 'silence clears nothing');
  free = 900;
  t.deepEqual(await look(), []);
});

test('the volume of the data directory shows its size and its free space', async (t) => {
  const clock = manualClock();
  const context = testContext({ clock });
  t.teardown(() => context.lifecycle.stop());
  const shown = Promise.withResolvers<void>();
  const { metrics } = context;
  const set: typeof metrics.set = (name, ...rest) => {
    metrics.set(name, ...rest);
    if (name === 'relay_volume_size_bytes') shown.resolve();
  };
  watchVolume({ ...context, metrics: { ...metrics, set } }, tmpdir());
  await clock.advance(10_000);
  await shown.promise;
  t.regex(await metrics.render(), /^relay_volume_size_bytes\{volume="data"\} [1-9]\d*$/m);
});

/** A volume of 1 GiB at /data, with so many MiB free. */
const volume = (free: number) =>
  (async (path: string) => {
    if (path !== '/data') throw new Error('ENOENT');
    return { bavail: free, blocks: 1_024, bsize: MiB };
  }) as unknown as typeof statfs;

test('a start that fails on a full volume names the volume, its free space and what to do, whatever failed first', async (t) => {
  const failures = [
    Object.assign(new Error('write failed'), { code: 'ENOSPC' }),
    new RelayError('store_full', { details: { path: '/data/relay/kv.sqlite' } }),
    new RelayError('data_dir_unusable', { details: { path: '/data/relay', problem: 'write failed with ENOSPC' } }),
  ];
  for (const failure of failures) {
    const { code, message } = await startFailure(failure, '/data/relay', volume(3));
    t.is(code, 'volume_full');
    t.is(message, 'The volume of /data/relay is full: 3 MiB are free');
    t.not((await startFailure(failure, '/data/relay', volume(500))).code, 'volume_full');
  }
  const inUse = new RelayError('data_dir_in_use', { details: { path: '/data/relay', pid: 1 } });
  t.is(await startFailure(inUse, '/data/relay', volume(3)), inUse);
});

const rootWith = (free: number) =>
  (async (path: string) => {
    if (path !== '/') throw new Error('ENOENT');
    return { bavail: free, blocks: 1_024, bsize: MiB };
  }) as unknown as typeof statfs;

test('a full volume is told by its free space, also where the directory is not there yet', async (t) => {
  t.is(await fullVolume('/no/such', rootWith(7)), 7);
  t.is(await fullVolume('/no/such', rootWith(500)), undefined);
});
