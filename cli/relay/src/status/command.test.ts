import { RelayError } from '@ranger-relay/errors';
import { mockServer } from '@ranger-relay/http/testing';
import { createConditions } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import { memoryBus } from '@ranger-relay/bus/testing';
import { memoryKv } from '@ranger-relay/kv/testing';
import { sharedConditions, shareConditions } from '@ranger-relay/service';
import { runningUp, type RunningUp } from '../data-dir/index.ts';
import { writeMarker } from '../data-dir/marker.ts';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { statusCommand } from './command.ts';
import { overview, problem } from './test/harness.ts';

const server = (t: ExecutionContext, status: number, body: string, headers: Record<string, string> = {}) =>
  mockServer(t, () => new Response(body, { status, headers }));

const urlsOf = ({ requests }: Awaited<ReturnType<typeof server>>) => requests.map(({ url }) => url);

const id = '5e0c3c5e-0000-4000-8000-000000000001';

/** The `up` of /data, whose status is at a port of this machine. */
const upAt = (port: number): RunningUp => {
  const address = `http://127.0.0.1:${port}`;
  const others = { ingester: address, forwarder: address, pusher: null, runner: null };
  return { id, pid: 42, dataDir: '/data', addresses: { status: address, ...others } };
};

const sourceAt = (port: number) => ({
  isRemote: () => false,
  openStores: () => Promise.reject(new Error('nothing is to be opened')),
  openKv: () => Promise.reject(new Error('nothing is to be opened')),
  findUp: async () => upAt(port),
  dataDir: () => '/no/such/directory',
});

const run = async (port: number, ...args: string[]) => {
  const shell = recordingShell();
  const code = await runProgram(shell, createProgram(shell, testAbout, [statusCommand({ shell, ...sourceAt(port) })]), [
    'status',
    ...args,
  ]);
  return { code, out: shell.lines.join('\n'), err: shell.errors.join('\n') };
};

const status = { ...overview().status, up: { id, data_dir: '/data', platform: 'real' as const } };
const good = JSON.stringify(status);

test('the status of this machine is printed as a table', async (t) => {
  const local = await server(t, 200, JSON.stringify({ ...status, unassigned_dead_letters: 4 }));
  const { code, out } = await run(local.port);
  t.is(code, 0);
  t.deepEqual(urlsOf(local), ['/status.json']);
  t.regex(out, /^webhook-ingester +ready$/m);
  t.regex(out, /4 dead letters without an integration/);
});

test('as JSON it is exactly what the server says', async (t) => {
  const { port } = await server(t, 200, good);
  const { code, out } = await run(port, '--output', 'json');
  t.is(code, 0);
  t.deepEqual(JSON.parse(out), status);
});

test('--dismiss ends a condition by a person’s word, and refuses one that does not hold', async (t) => {
  const problems = [
    { ...problem('critical', 'A: 1 request with a wrong token'), condition: 'webhook_token_refused', subject: 'a' },
    ...['a/1/x', 'a/1/y', 'a/10/z'].map((subject) =>
      Object.assign(problem('critical', `SOS ${subject}`), { condition: 'sos_not_stored', subject }),
    ),
  ];
  const { port } = await server(t, 200, JSON.stringify({ ...status, verdict: { ...status.verdict, problems } }));
  const shell = recordingShell();
  const [bus, kv] = [memoryBus(shell.clock), memoryKv(shell.clock)];
  const source = {
    ...sourceAt(port),
    openStores: async () => ({ bus, kv: { ...kv, close: async () => undefined } }),
  };
  const call = (...args: string[]) =>
    runProgram(shell, createProgram(shell, testAbout, [statusCommand({ shell, ...source })]), [
      'status',
      '--dismiss',
      ...args,
    ]);
  t.is(await call('webhook_token_refused=b'), 2);
  t.is(await call('sos_not_stored'), 2, 'several subjects');
  t.is(await call('webhook_token_refused=a', '--url', `http://127.0.0.1:${port}`), 2, 'the store of another machine');
  t.is(await call('webhook_token_refused=a'), 0);
  t.regex(shell.lines.join('\n'), /^dismissed {2}A: 1 request with a wrong token$/m);
  const views = (await sharedConditions(kv, shell.clock.now())).views;
  t.like(views.flat()[0], { name: 'webhook_token_refused', subject: 'a', active: false });
  t.is(await call('sos_not_stored=a/1'), 0);
  t.deepEqual(
    shell.lines.filter((line) => line.startsWith('dismissed  SOS')),
    ['dismissed  SOS a/1/x', 'dismissed  SOS a/1/y'],
    'a device is each SOS of it',
  );
});

test('while the brokers are away the conditions that the services share are shown', async (t) => {
  const shell = recordingShell();
  const kv = memoryKv(shell.clock);
  const made = testContext({ clock: shell.clock, service: 'webhook-ingester' });
  const conditions = createConditions({ ...made, host: '1' });
  conditions.set('bus_write_failing', 'emergencies', { reason: 'no broker answers' });
  const platform = { activity: { webhook: () => undefined }, integrations: { reload: async () => true } };
  await shareConditions({ ...made, conditions }, { kv, platform, instance: '1' });
  t.teardown(() => made.lifecycle.stop());
  const source = {
    ...sourceAt(1),
    isRemote: () => true,
    openStores: () => Promise.reject(new RelayError('bus_unavailable', { details: { reason: 'no broker answers' } })),
    openKv: async () => ({ ...kv, close: async () => undefined }),
  };
  const program = createProgram(shell, testAbout, [statusCommand({ shell, ...source })]);
  t.is(await runProgram(shell, program, ['status', '--exit-code']), 0);
  t.true(shell.failed());
  const said = shell.lines.join('\n');
  t.regex(said, /CRITICAL +Records cannot be written to emergencies/);
  t.regex(said, /follows from it: what .*emergencies.* hold is not shown/);
});

test('an `up` on Kafka that was killed on this machine is told at once, before its silence tells of it', async (t) => {
  const shell = recordingShell();
  const kv = memoryKv(shell.clock);
  const made = testContext({ clock: shell.clock, service: 'up' });
  const platform = { activity: { webhook: () => undefined }, integrations: { reload: async () => true } };
  await shareConditions(made, { kv, platform, instance: '1' });
  t.teardown(() => made.lifecycle.stop());
  const directory = await temporaryFolder(t);
  const source = {
    ...sourceAt(1),
    isRemote: () => true,
    openStores: async () => ({ bus: memoryBus(shell.clock), kv: { ...kv, close: async () => undefined } }),
    dataDir: () => directory,
  };
  const program = createProgram(shell, testAbout, [statusCommand({ shell, ...source })]);
  await runProgram(shell, program, ['status', '--exit-code']);
  t.deepEqual([shell.failed(), shell.errors], [false, []]);
  const at = new Date(shell.clock.now()).toISOString();
  const since = { bus_since: at, kv_since: at, created_at: at };
  await writeMarker(directory, {
    version: 1,
    instance_id: id,
    ...since,
    platform: 'real',
    owner: { id, pid: 42, addresses: null },
  });
  await runProgram(shell, program, ['status', '--exit-code']);
  t.true(shell.failed());
  t.regex(shell.errors.join(), /The `up` of DATA_DIR .* \(pid 42\) has ended: it receives nothing/);
});

test('--url asks elsewhere, and says whose state it shows', async (t) => {
  const other = await server(t, 200, good);
  const { code, out } = await run(1, '--url', other.origin);
  t.is(code, 0);
  t.is(
    out.split('\n').at(-1),
    `This is the \`up\` of DATA_DIR /data (id ${id}), which answers at ${other.origin}/status.json.`,
  );
  t.is((await run(1, '--url', `${other.origin}/below/status.json`)).code, 0);
  t.deepEqual(urlsOf(other), ['/status.json', '/below/status.json']);
});

test.serial(
  'an `up` that does not answer is said to run, and where nothing runs how to start is said; the end is 1',
  async (t) => {
    const hung = await run(1);
    t.deepEqual([hung.code, hung.out], [1, '']);
    t.regex(hung.err, /The `up` of DATA_DIR \/data \(pid 42\) runs and does not answer at /);
    const { code, out, err } = await run(1, '--url', 'http://127.0.0.1:1');
    t.deepEqual([code, out], [1, '']);
    t.regex(err, /Nothing answers at http:\/\/127\.0\.0\.1:1\/status\.json; start the system with `ranger-relay up`/);
  },
);

for (const [what, status, body, sentence] of [
  ['an answer that is no JSON', 200, '<html>', /is not the status of ranger-relay/],
  ['JSON of another shape', 200, '{"services":1}', /is not the status of ranger-relay/],
  ['a failure', 503, '{}', /has the status 503/],
] as const)
  test(`${what} ends with 1 and a sentence`, async (t) => {
    const { port } = await server(t, status, body);
    const { code, err } = await run(port);
    t.is(code, 1);
    t.regex(err, sentence);
  });

test('a redirect is not followed', async (t) => {
  const target = await server(t, 200, good);
  const { port } = await server(t, 302, '', { location: `${target.origin}/status.json` });
  t.is((await run(port)).code, 1);
  t.deepEqual(target.requests, []);
});

test('it says whose state it is, and refuses the answer of another process', async (t) => {
  const own = await server(t, 200, good);
  t.regex((await run(own.port)).out, /^This is the `up` of DATA_DIR \/data \(pid 42\)\.$/m);
  const other = await server(
    t,
    200,
    JSON.stringify({ ...status, up: { ...status.up, id: 'another', data_dir: '/other' } }),
  );
  const { code, err } = await run(other.port);
  t.is(code, 1);
  t.regex(err, /is that of another process/);
});

test('a directory on which nothing runs asks no other installation of the machine', async (t) => {
  const other = await server(t, 200, good);
  const dataDir = await temporaryFolder(t);
  const shell = recordingShell({ env: { STATUS_PORT: String(other.port) } });
  const source = { ...sourceAt(other.port), findUp: () => runningUp(dataDir) };
  const program = createProgram(shell, testAbout, [statusCommand({ shell, ...source })]);
  t.is(await runProgram(shell, program, ['status']), 1);
  t.regex(shell.errors.join(), /No `ranger-relay up` can be asked on DATA_DIR .*: none runs there/);
  t.deepEqual(other.requests, []);
});
