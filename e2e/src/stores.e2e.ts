import { openSync, closeSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { install, type Installation } from './harness/installation.ts';
import { run } from './harness/product.ts';
import { envelope, event, post, send, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';

const used = async (t: ExecutionContext): Promise<Installation> => {
  const here = await install([park]);
  t.teardown(() => here.remove());
  const first = await here.up();
  await send(here, park, event(0));
  await untilStored(here, park, 1);
  await first.end('SIGTERM');
  return here;
};

const damage = (file: string): void => {
  const { size } = statSync(file);
  const handle = openSync(file, 'r+');
  for (let offset = 4096; offset < size; offset += 4096) writeSync(handle, Buffer.alloc(512, 0xa5), 0, 512, offset);
  closeSync(handle);
};

test.serial('a second process on the same directory says who has it and does not start', async (t) => {
  const here = await install([park]);
  t.teardown(() => here.remove());
  const first = await here.up();
  const second = await run(['up'], { ...here.env, STATUS_PORT: '0', INGESTER_PORT: '0', FORWARDER_PORT: '0' });
  t.is(second.code, 1);
  t.regex(second.stderr, new RegExp(`in use by the process ${String(first.child.pid)}`));
});

test.serial('a lost bus file is never taken for an empty one', async (t) => {
  const here = await used(t);
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(here.dataDir, `bus.sqlite${suffix}`), { force: true });
  const refused = await run(['up'], here.env);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /missing though this DATA_DIR was used before.*--accept-empty-bus/s);
});

test.serial('a bus file that is removed under a running up takes it out of service until it is back', async (t) => {
  const here = await install([park]);
  t.teardown(() => here.remove());
  await here.up();
  const file = join(here.dataDir, 'bus.sqlite');
  const ready = () => fetch(new URL('/readyz', here.webhookUrl));
  renameSync(file, `${file}.elsewhere`);
  await until(
    'the ingester is out of service because of it',
    async () => /files of DATA_DIR in place/.test(await (await ready()).text()),
    10_000,
  );
  t.is((await ready()).status, 503);
  t.is((await post(here, park, envelope(event(1)))).status, 503);
  renameSync(`${file}.elsewhere`, file);
  await until('the ingester is in service again', async () => (await ready()).status === 200, 10_000);
  await send(here, park, event(2));
  await untilStored(here, park, 1);
  t.deepEqual(await storedNumbers(here, park), [2]);
});

test.serial('a damaged bus file is refused untouched, with what to do', async (t) => {
  const here = await used(t);
  damage(join(here.dataDir, 'bus.sqlite'));
  const refused = await run(['up'], here.env);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /damaged.*--salvage-bus/s);
});

test.serial('a damaged key-value store is set aside, said aloud, and events go on', async (t) => {
  const here = await used(t);
  damage(join(here.dataDir, 'kv.sqlite'));
  const again = await here.up();
  t.regex(again.output() + again.errors(), /kv\.sqlite was damaged.*starts empty/s);
  await send(here, park, event(1));
  await untilStored(here, park, 2);
  t.deepEqual(await storedNumbers(here, park), [0, 1]);
});

test.serial('a lost key-value store is rebuilt and said aloud', async (t) => {
  const here = await used(t);
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(here.dataDir, `kv.sqlite${suffix}`), { force: true });
  const again = await here.up();
  t.regex(again.output() + again.errors(), /kv\.sqlite was missing and starts empty/);
});
