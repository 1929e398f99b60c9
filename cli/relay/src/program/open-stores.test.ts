import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedBus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { isRelayError, type ErrorCode } from '@ranger-relay/errors';
import { derivedKey, encryptedSpace, openEmbeddedKv } from '@ranger-relay/kv';
import { conditionSpec, systemClock, systemRandom, type Clock } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from '../data-dir/index.ts';
import { storeOpeners } from './open-stores.ts';
import { recordingShell } from '@ranger-relay/terminal/testing';

const folder = async (t: ExecutionContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'relay-look-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
};

/** A directory that `up` works on, still open. */
const inUse = async (t: ExecutionContext) => {
  const path = await folder(t);
  const context = testContext();
  const bus = await openEmbeddedBus({ ...context, path: join(path, 'bus.sqlite'), topics: Object.values(topics) });
  const kv = await openEmbeddedKv({ ...context, path: join(path, 'kv.sqlite') });
  t.teardown(() => bus.close());
  t.teardown(() => kv.close());
  return { path, bus, kv };
};

const openers = (env: NodeJS.ProcessEnv, clock: Clock = manualClock()) =>
  storeOpeners({ ...recordingShell({ env }), clock });

const refused = async (t: ExecutionContext, opening: Promise<unknown>, code: ErrorCode, message: RegExp) => {
  const error = await t.throwsAsync(opening, { message });
  t.true(isRelayError(error, code), String(error));
};

test('stores are opened beside their owner, and what one side writes the other sees', async (t) => {
  const { path, bus, kv } = await inUse(t);
  const stores = await openers({ DATA_DIR: path }).openStores();
  await bus.publish(topics.deadLetters.name, [{ key: 'a', value: 'from up' }]);
  await stores.bus.publish(topics.deadLetters.name, [{ key: 'a', value: 'from the command' }]);
  const values = [];
  for await (const { value } of stores.bus.read({ topic: topics.deadLetters.name }))
    values.push(Buffer.from(value).toString());
  t.deepEqual(values, ['from up', 'from the command']);
  await stores.kv.state.set('dlq.1', 'x');
  t.is(await kv.state.get('dlq.1'), 'x');
  await stores.kv.close();
  await stores.bus.close();
  t.true(bus.ready() && kv.ready());
});

test('configuration is read with the client secret of the services, or the one before, and refused with what to set otherwise', async (t) => {
  const { path, kv } = await inUse(t);
  await encryptedSpace(kv.config, { key: derivedKey('before') }).set('a', 'CANARY');
  const read = async (env: NodeJS.ProcessEnv): Promise<string | null> => {
    const store = await openers({ DATA_DIR: path, ...env }).openKv();
    return store.config.get('a').finally(() => store.close());
  };
  t.is(await read({ PLATFORM_CLIENT_SECRET: 'before' }), 'CANARY');
  t.is(await read({ PLATFORM_CLIENT_SECRET: 'after', PLATFORM_CLIENT_SECRET_PREVIOUS: 'before' }), 'CANARY');
  await refused(t, read({ PLATFORM_CLIENT_SECRET: 'after' }), 'config_invalid', /PLATFORM_CLIENT_SECRET_PREVIOUS/);
  await refused(t, read({}), 'config_invalid', /PLATFORM_CLIENT_SECRET is not set/);
});

test('stores are opened when their owner is gone', async (t) => {
  const { path, bus, kv } = await inUse(t);
  await kv.state.set('dlq.1', 'x');
  await bus.close();
  await kv.close();
  const stores = await openers({ DATA_DIR: path }).openStores();
  t.is(await stores.kv.state.get('dlq.1'), 'x');
  await stores.kv.close();
  await stores.bus.close();
});

test('where nothing was ever stored a sentence says so, and nothing is created', async (t) => {
  const path = await folder(t);
  const open = openers({ DATA_DIR: path });
  const sentence = /holds no bus\.sqlite; start the system there with `ranger-relay up`, or set DATA_DIR/;
  await refused(t, open.openBus(), 'nothing_stored', sentence);
  await refused(t, open.openStores(), 'nothing_stored', sentence);
  await refused(t, openers({ DATA_DIR: join(path, 'missing') }).openBus(), 'nothing_stored', sentence);
  t.deepEqual(await readdir(path), []);
});

test('a store that is missing beside a bus is said, and is not made', async (t) => {
  const { path, kv } = await inUse(t);
  await kv.close();
  await rm(join(path, 'kv.sqlite'));
  await refused(t, openers({ DATA_DIR: path }).openStores(), 'nothing_stored', /holds no kv\.sqlite/);
  t.false((await readdir(path)).includes('kv.sqlite'));
});

test('a file that is gone while `up` has it open is said with what to do, by whatever command looks for it', async (t) => {
  const path = await folder(t);
  const dir = await openDataDir(path, { clock: systemClock, random: systemRandom });
  t.teardown(() => dir.release());
  const open = openers({ DATA_DIR: path });
  await refused(t, open.openBus(), 'nothing_stored', /holds no bus\.sqlite/);
  const since = new Date(0).toISOString();
  await dir.record({ bus_since: since, kv_since: since });
  const { remedy } = conditionSpec('file_replaced');
  for (const opening of [open.openBus(), open.openStores(), open.openKv()]) {
    const error = await t.throwsAsync(opening);
    t.true(isRelayError(error, 'store_removed') && error.message.endsWith(remedy), String(error));
  }
});

test('a damaged bus is said and stays as it is', async (t) => {
  const path = await folder(t);
  await writeFile(join(path, 'bus.sqlite'), 'no database');
  await refused(t, openers({ DATA_DIR: path }).openBus(), 'store_damaged', /is damaged/);
  t.deepEqual(await readdir(path), ['bus.sqlite']);
});

test('brokers that do not answer are said, and the files of this machine are not looked into', async (t) => {
  const { path } = await inUse(t);
  const { isRemote, openStores } = openers({ DATA_DIR: path, KAFKA_BROKERS: '127.0.0.1:1' }, systemClock);
  t.true(isRemote());
  await refused(t, openStores(), 'bus_unavailable', /^The message bus cannot store records now: .*127\.0\.0\.1:1/);
});

test('a broker without a port is refused by the name of its variable', async (t) => {
  const opening = (async () => openers({ KAFKA_BROKERS: 'host-1' }).openStores())();
  await refused(t, opening, 'config_invalid', /^KAFKA_BROKERS is "host-1", but takes host:port/);
});

test('the topic of the activity log has the name that is set', async (t) => {
  const { activityTopic } = openers({ INTEGRATION_EVENTS_TOPIC: 'log-of-park' });
  t.is(activityTopic(), 'log-of-park');
  t.is(openers({}).activityTopic(), 'integration-events');

  const path = await folder(t);
  const named = { ...topics.integrationEvents, name: 'log-of-park' };
  const owner = await openEmbeddedBus({ ...testContext(), path: join(path, 'bus.sqlite'), topics: [named] });
  await owner.publish('log-of-park', [{ key: 'a', value: '1' }]);
  await owner.close();
  const bus = await openers({ DATA_DIR: path, INTEGRATION_EVENTS_TOPIC: 'log-of-park' }).openBus();
  let read = 0;
  for await (const _ of bus.read({ topic: 'log-of-park' })) read += 1;
  t.is(read, 1);
  await bus.close();
});
