import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createClient } from '../http/client.ts';
import { bodyOf, first, observation, scratch, startHarness } from '../test/harness.ts';
import type { IngestLogPage } from './ingest-log.ts';
import type { PlatformStats } from './stats.ts';

interface Printed {
  readonly pid: number;
  readonly url: string;
  readonly clientId: string;
}

/** Runs the platform as a process of its own until the test ends or it is killed. */
const startChild = async (t: ExecutionContext, stateFile: string) => {
  const main = fileURLToPath(new URL('../main-platform.ts', import.meta.url));
  const env = { PATH: process.env['PATH'], SIM_STATE_FILE: stateFile, SIM_INTEGRATIONS: first };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const printed = JSON.parse(line) as Printed;
  const client = createClient();
  t.teardown(client.close);
  return {
    printed,
    get: async <T>(path: string): Promise<T> =>
      bodyOf<T>(await client.send({ method: 'GET', url: printed.url + path })),
    send: (path: string, body: unknown, key = '') =>
      client.send({ method: 'POST', url: printed.url + path, headers: { apikey: key }, body: JSON.stringify(body) }),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};

test('a platform killed with -9 loses nothing it answered: items, marks, keys and counts', async (t) => {
  const stateFile = join(scratch(t), 'platform');
  const before = await startChild(t, stateFile);
  t.is(before.printed.clientId, 'relay');
  const [{ api_key }] = await before.get<[{ api_key: string }]>('/_sim/integrations');
  await before.send('/_sim/integrations', { id: 'added', api_key: 'added-key' });
  for (let n = 0; n < 20; n += 1)
    t.is((await before.send('/v2/observations/', [observation(n * 2), observation(n * 2 + 1)], api_key)).status, 200);
  await before.kill();

  const after = await startChild(t, stateFile);
  const { entries } = await after.get<IngestLogPage>('/_sim/ingest-log');
  t.deepEqual(
    entries.map(({ item }) => (item as { additional: { n: number } }).additional.n),
    Array.from({ length: 40 }, (_, n) => n),
  );
  t.is((await after.send('/v2/observations/', [observation(7)], api_key)).status, 200);
  t.is((await after.send('/v2/observations/', [observation(7)], 'added-key')).status, 200);
  const stats = await after.get<PlatformStats>('/_sim/stats');
  t.like(stats.items.observation, { arrived: 42, stored: 41, duplicate: 1 });
  const page = await after.get<IngestLogPage>('/_sim/ingest-log?since=40');
  t.true((page.entries[0]?.request ?? 0) >= 20);
});

test('marks of an earlier run keep their age', async (t) => {
  const stateFile = join(scratch(t), 'platform');
  const one = await startHarness(t, { stateFile });
  await one.post('/v2/observations/', [observation()]);
  await one.platform.close();
  const two = await startHarness(t, { stateFile });
  two.clock.advance(30 * 60_000);
  await two.post('/v2/observations/', [observation()]);
  t.like(two.platform.stats().items['observation'], { stored: 2, duplicate: 0 });
});

test('events of an earlier run can still be changed, and its answers are remembered', async (t) => {
  const stateFile = join(scratch(t), 'platform');
  const one = await startHarness(t, { stateFile });
  const reply = await one.post('/v2/events/', { recorded_at: '2026-01-01T00:00:00Z' });
  const { object_id } = bodyOf<{ object_id: string }>(reply);
  await one.platform.close();
  const two = await startHarness(t, { stateFile });
  t.is(two.platform.ingestLog.read().entries[0]?.answered, true);
  const change = { headers: { apikey: 'key-1' }, body: '{"status":"resolved"}' };
  t.is((await two.call('PATCH', `/v2/events/${object_id}/`, change)).status, 200);
});
