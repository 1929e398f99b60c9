import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stateKey } from '@ranger-relay/actions';
import { loopbackServer } from '@ranger-relay/http/testing';
import { openEmbeddedKv } from '@ranger-relay/kv';
import { createLogger, systemClock } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { run, type Finished, type Started } from './harness/product.ts';
import { openTrial, siteOf } from './harness/trial.ts';
import { until } from './harness/until.ts';

/** A span as a collector of traces gets it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Batch {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[] }[];
}

/** A collector of traces that takes OTLP over HTTP. */
export const startCollector = async (t: ExecutionContext) => {
  const { origin, requests } = await loopbackServer(t, () => Response.json({}));
  return {
    url: origin,
    text: () => requests.map(({ body }) => body).join('\n'),
    spans: (): CollectedSpan[] =>
      requests.flatMap(({ body }) =>
        (JSON.parse(body) as Batch).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  };
};

const shell = promisify(execFile);
const pull = 'pull_observations';

interface Status {
  readonly services: readonly { readonly name: string; readonly ready: boolean }[];
  readonly texts: { readonly accepted: number };
  readonly runs: readonly { readonly integration_id: string; readonly action_id: string; readonly outcome: string }[];
}

interface Taken {
  readonly integration_id: string;
  readonly item: { readonly source: string; readonly source_name?: string; readonly recorded_at: string };
}

const json = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

/** A trial without devices, and its status. */
const trial = async (t: ExecutionContext, more: Readonly<Record<string, string>> = {}) => {
  const { env, url, up } = await openTrial(t, { SIMULATED_DEVICES: '0', ...more });
  return {
    env,
    up,
    status: () => json<Status>(`${url}/status.json`),
    taken: () => json<Taken[]>(`${url}/simulated.json?limit=200`),
  };
};

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the printed line that holds `mark` as a person in the root of the checkout does. */
const tryLine = async (started: Started, mark: string): Promise<string> => {
  const lines = started.output().split('\n');
  const line = lines.find((one) => one.includes(mark)) ?? `no line has ${mark}`;
  const typed = line.trim().replace('npx ranger-relay', `'${process.execPath}' cli/relay/bin/ranger-relay.mjs`);
  const { stdout } = await shell('sh', ['-c', typed], { cwd: root });
  return stdout;
};

const ended = ({ runs }: Status, action: string): boolean =>
  runs.some(({ action_id: id, outcome }) => id === action && outcome === 'complete');

test.serial(
  'the printed text to a device arrives at the vendor, and the activity log tells of it; a restart changes nothing',
  async (t) => {
    const { env, up, status } = await trial(t);
    const first = await up();
    t.regex(await tryLine(first, 'simulate text'), /The vendor accepted the text for 300434030099999/);
    const activity = await run(['activity', '--output', 'json'], env);
    t.regex(activity.stdout, /"title":"Message Delivered".*"recipients":\["300434030099999"\]/);
    t.notRegex(activity.stdout, /Return to camp/);
    await until('the status tells of it', async () => ended(await status(), 'push_messages'));
    t.is((await status()).texts.accepted, 1);
    const services = ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'];
    const ready = (await status()).services.map((service) => [service.name, service.ready]);
    const wanted = services.map((name) => [name, true]);
    t.deepEqual(ready, wanted);

    await first.end('SIGKILL');
    const second = await up();
    t.regex(await tryLine(second, 'simulate text'), /The vendor accepted the text/);
    await until('the second text is counted', async () => (await status()).texts.accepted === 2);
  },
);

test.serial(
  'the schedule pulls from the simulated site, the printed line does too, and nothing comes twice over a kill -9',
  async (t) => {
    const { env, up, status, taken } = await trial(t);
    const first = await up();
    const pulled = async (): Promise<Taken[]> =>
      (await taken()).filter(({ item }) => /^Patrol (car|boat)/.test(item.source_name ?? ''));
    await until('the schedule has pulled', async () => (await pulled()).length >= 8, 90_000);
    await until('the status tells of it', async () => ended(await status(), 'pull_observations'));
    const before = await pulled();
    await first.end('SIGKILL');

    const second = await up();
    const answer = JSON.parse(await tryLine(second, '/v1/actions/execute')) as { status?: string; skipped?: boolean };
    t.true(answer.status === 'complete' || answer.skipped === true, JSON.stringify(answer));
    await until('a pull has ended', async () => ended(await status(), 'pull_observations'), 90_000);
    const after = await pulled();
    t.deepEqual(after.slice(0, before.length), before);
    t.is(new Set(after.map(({ item }) => `${item.source} ${item.recorded_at}`)).size, after.length);
    const told = await run(['activity', '--output', 'json'], env);
    t.regex(told.stdout, /"action_id":"pull_observations".*"observations_extracted"/);
  },
);

test.serial('a text is one trace from the platform to the vendor, without its words', async (t) => {
  const collector = await startCollector(t);
  const { up } = await trial(t, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const started = await up();
  await tryLine(started, 'simulate text');
  const named = (name: string) => collector.spans().find((span) => span.name === name);
  await until('both spans have come', () => named('push_messages') !== undefined && named('vendor.send') !== undefined);
  t.is(named('vendor.send')?.traceId, named('push_messages')?.traceId);
  t.is(named('vendor.send')?.parentSpanId, named('push_messages')?.spanId);
  t.truthy(named('push_messages')?.parentSpanId);
  t.notRegex(collector.text(), /Return to camp/);
});

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
  const { env, up } = await trial(t);
  const site = siteOf(await up());
  const printed: string[] = [];
  const relay = async (...args: string[]): Promise<Finished> => {
    const finished = await run(args, env);
    printed.push(finished.stdout, finished.stderr);
    return finished;
  };

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

  await whileRunning(env['DATA_DIR'] ?? '', site, async () => {
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

  const secrets = join(env['DATA_DIR'] ?? '', 'secrets');
  for (const name of readdirSync(secrets))
    t.false(printed.join('\n').includes(readFileSync(join(secrets, name), 'utf8').trim()), name);
});
