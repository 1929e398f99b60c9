import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { start } from './harness/product.ts';
import { curlLines, openTrial } from './harness/trial.ts';
import { until } from './harness/until.ts';

const shell = promisify(execFile);

interface Taken {
  readonly kind: string;
  readonly item: {
    readonly source: string;
    readonly recorded_at: string;
    readonly text?: string;
    readonly additional: { readonly sos?: string; readonly delivery_attempt?: number };
  };
}

interface Status {
  readonly services: readonly object[];
  readonly integrations: readonly Record<string, unknown>[];
}

const json = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

test.serial(
  'with nothing configured: the printed lines work, all arrives in order, and a kill -9 in the middle loses nothing',
  async (t) => {
    const { up, url } = await openTrial(t, {}, 30_000);
    const taken = (): Promise<Taken[]> => json(`${url}/simulated.json?limit=500`);

    const first = await up();
    const lines = curlLines(first);
    t.is(lines.length, 4);
    for (const line of lines.slice(0, 2)) {
      const { stdout } = await shell('sh', ['-c', line]);
      t.like(JSON.parse(stdout), { total_observations: 1 });
    }
    const own = async (): Promise<string[]> =>
      (await taken())
        .filter(({ item }) => item.source === '300434030099999')
        .map(({ kind, item }) => item.text ?? item.additional.sos ?? kind);
    await until('text and SOS have arrived', async () => (await own()).length === 3, 20_000);
    // An SOS overtakes earlier events.
    t.deepEqual((await own()).toSorted(), ['Back at noon', 'declared', 'observation']);
    const { stdout: third } = await shell('sh', ['-c', lines[2] ?? '']);
    t.true(Array.isArray(JSON.parse(third)));

    await until('the fleet is under way', async () => (await taken()).length > 10, 30_000);
    const before = await taken();
    // What cannot have been sent before is not marked as a repetition.
    const repeated = before.filter(({ item }) => item.additional.delivery_attempt !== undefined);
    t.deepEqual(repeated, []);
    await first.end('SIGKILL');
    await up();
    await until('the fleet goes on', async () => (await taken()).length > before.length, 30_000);
    const after = await taken();
    t.deepEqual(after.slice(0, before.length), before);
    // Positions of an SOS are in order with each other, and ahead of others.
    const lanes = Map.groupBy(
      after.filter(({ kind }) => kind === 'observation'),
      ({ item }) => `${item.source}${item.additional.sos === undefined ? '' : ' SOS'}`,
    );
    for (const [source, items] of lanes) {
      const times = items.map(({ item }) => Date.parse(item.recorded_at));
      const inOrder = times.toSorted((a, b) => a - b);
      t.deepEqual(times, inOrder, source);
    }

    const document = await json<Status>(`${url}/status.json`);
    const members = ['verdict', 'services', 'integrations', 'texts', 'runs', 'sos', 'unassigned_dead_letters', 'up'];
    t.deepEqual(Object.keys(document), members);
    t.deepEqual(Object.keys(document.integrations[0] ?? {}), [
      'id',
      'name',
      'accepted_observations',
      'accepted_messages',
      'last_event_at',
      'oldest_unsent_seconds',
      'waiting',
      'sos',
      'parked',
      'dead_letters',
    ]);
    const accepted = document.integrations.reduce((sum, each) => sum + Number(each['accepted_observations']), 0);
    t.true(accepted >= before.filter(({ kind }) => kind === 'observation').length);
    t.regex(await (await fetch(`${url}/`)).text(), /<html/i);
  },
);

test.serial('help names the interface', async (t) => {
  const help = start(['up', '--help']);
  t.is(await help.exited, 0);
  for (const name of [
    'DATA_DIR',
    'STATUS_PORT',
    'INGESTER_PORT',
    'FORWARDER_PORT',
    'PUSHER_PORT',
    'RUNNER_PORT',
    'PUSHER_TYPE_SLUG',
    'RUNNER_TYPE_SLUG',
    'AUTH_TOKEN',
    'PUSH_AMBIGUOUS',
    'ACTION_SCHEDULES',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'KAFKA_BROKERS',
    'KV_HOST',
    'PLATFORM_GRANT',
    'PLATFORM_CLIENT_SECRET_FILE',
    'HTTP_ALLOWED_NETWORKS',
    'WEBHOOK_AUTH',
    'WEBHOOK_TOKENS_FILE',
  ])
    t.true(help.output().includes(name), name);
});
