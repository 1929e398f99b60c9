import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateKey } from '@ranger-relay/actions';
import { openEmbeddedKv } from '@ranger-relay/kv';
import { createLogger, systemClock } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { freePort, run, start, type Finished } from './harness/product.ts';
import { until } from './harness/until.ts';

const pull = 'pull_observations';

/** `up` with its simulators, and commands beside it that see the same environment. */
const trial = async (t: ExecutionContext) => {
  const dir = mkdtempSync(join(tmpdir(), 'ranger-relay-actions-'));
  const dataDir = join(dir, 'data');
  const names = ['STATUS_PORT', 'INGESTER_PORT', 'FORWARDER_PORT', 'PUSHER_PORT', 'RUNNER_PORT'];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  const env = { DATA_DIR: dataDir, SIMULATED_DEVICES: '0', ...Object.fromEntries(ports) };
  const up = start(['up'], env);
  t.teardown(async () => {
    await up.end('SIGTERM');
    rmSync(dir, { recursive: true, force: true });
  });
  await until('up is running', () => /kill -9 \d+/.test(up.output()), 60_000);
  const site = /"integration_id":"([\w-]+)","action_id":"pull_observations"/.exec(up.output())?.[1] ?? '';
  const printed: string[] = [];
  return {
    dataDir,
    site,
    printed,
    secrets: () =>
      readdirSync(join(dataDir, 'secrets')).map((name) => readFileSync(join(dataDir, 'secrets', name), 'utf8').trim()),
    async relay(...args: string[]): Promise<Finished> {
      const finished = await run(args, env);
      printed.push(finished.stdout, finished.stderr);
      return finished;
    },
  };
};

/** Stands in for a run of another process: holds the lease of the pull while `work` runs. */
const whileRunning = async (dataDir: string, site: string, work: () => Promise<void>): Promise<void> => {
  const log = createLogger({ service: 'e2e', level: 'silent' });
  const kv = await openEmbeddedKv({ path: join(dataDir, 'kv.sqlite'), clock: systemClock, log, beside: true });
  const key = stateKey.run(site, pull);
  try {
    await until('no run is under way', () => kv.state.setIfAbsent(key, 'e2e/', { ttlMs: 60_000 }));
    await work();
  } finally {
    await kv.state.delete(key);
    await kv.close();
  }
};

test.serial('what the commands say of an action is what the running system does', async (t) => {
  t.timeout(120_000);
  const { relay, site, dataDir, printed, secrets } = await trial(t);

  const ran = await relay('run', pull, '--integration', site);
  t.is(ran.code, 0, ran.stderr);
  t.like(JSON.parse(ran.stdout), { status: 'complete' });

  const why = JSON.parse((await relay('why', site, pull, '--output', 'json')).stdout) as Record<string, unknown>;
  t.like(why, {
    verdict: { would_run: true, reason: null },
    configuration: { status: 'valid', run_on_schedule: true },
    schedule: { crontab: '* * * * *' },
  });
  t.truthy((why['scheduler'] as { leader: string | null }).leader);
  t.is((why['last_runs'] as { outcome: string }[])[0]?.outcome, 'complete');
  const looks = [relay('why', site, 'auth'), relay('run', pull, '--integration', site, '--dry-run'), relay('doctor')];
  for (const { code, stdout } of await Promise.all(looks)) t.is(code, 0, stdout);

  await whileRunning(dataDir, site, async () => {
    const busy = JSON.parse((await relay('why', site, pull, '--output', 'json')).stdout) as { verdict: object };
    t.like(busy.verdict, { would_run: false, reason: 'already_running' });
    const tick = await relay('run', pull, '--integration', site, '--scheduled', '--output', 'json');
    t.is(tick.code, 1);
    t.deepEqual(JSON.parse(tick.stdout), { outcome: 'skipped', reason: 'already_running' });
    const refused = await relay('state', 'rollback', site, pull, '--to', '1h');
    t.is(refused.code, 1);
    t.regex(refused.stderr, /is running and uses this state/);
  });

  const back = await relay('state', 'rollback', site, pull, '--to', '1h', '--output', 'json');
  t.is(back.code, 0, back.stderr);
  const { after } = JSON.parse(back.stdout) as { after: { last_execution: string } };
  t.true(Date.now() - Date.parse(after.last_execution) >= 3_600_000);
  t.regex((await relay('activity', '--integration', site)).stdout, /State of pull_observations changed by/);

  for (const secret of secrets()) t.false(printed.join('\n').includes(secret));
});
