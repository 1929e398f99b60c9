import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loopbackServer } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import { install } from './harness/installation.ts';
import { run, type Started } from './harness/product.ts';
import { openTrial } from './harness/trial.ts';
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
const park = 'aaaaaaaa-0000-4000-8000-000000000001';

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
  const line =
    started
      .output()
      .split('\n')
      .find((one) => one.includes(mark)) ?? `no line has ${mark}`;
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
    t.deepEqual(
      (await status()).services.map(({ name, ready }) => [name, ready]),
      ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'].map((name) => [name, true]),
    );

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

test.serial('with a real platform texts and pulls wait for a token of their callers, while events flow', async (t) => {
  const here = await install([park]);
  t.teardown(() => here.remove());
  const names = async (): Promise<string[]> =>
    (await json<Status>(`${here.statusUrl}/status.json`)).services.map(({ name }) => name);
  const without = await here.up();
  await until('it says so', () => without.output().includes('Note: '));
  t.regex(without.output(), /Note: message pusher and action runner are off: AUTH_TOKEN is not set/);
  t.deepEqual(await names(), ['webhook-ingester', 'observation-forwarder']);
  t.is(await without.end('SIGTERM'), 0);

  await here.up({ AUTH_TOKEN: 'callers-token' });
  await until('all services run', async () => (await names()).length === 4);
  for (const port of [here.env['PUSHER_PORT'], here.env['RUNNER_PORT']]) {
    const actions = `http://127.0.0.1:${port}/v1/actions/`;
    t.is((await fetch(actions)).status, 401);
    t.is((await fetch(actions, { headers: { authorization: 'Bearer callers-token' } })).status, 200);
  }
});
