import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runnerSchedules, runnerType } from '@ranger-relay/action-runner';
import { discoverActions } from '@ranger-relay/actions';
import { handlers } from '@ranger-relay/message-pusher';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test, { type ExecutionContext } from 'ava';
import { probeCommand } from './command.ts';
import { integration, world as stores } from './test/world.ts';

interface Taken {
  readonly path: string;
  readonly token: string | undefined;
}

/** A webhook that takes everything, and the command beside a bus and a store that mark what it took as done. */
const world = async (t: ExecutionContext, env: NodeJS.ProcessEnv = {}) => {
  const taken: Taken[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const token = request.headers['x-outbound-auth-token'];
    if (request.method === 'POST') taken.push({ path: request.url ?? '', token: token as string | undefined });
    request.resume().on('end', () => response.end(JSON.stringify({ total_observations: 1, total_messages: 0 })));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { sight } = stores();
  const opened = { stores: 0, closed: 0 };
  const kv = { state: { ...sight.state, get: async () => 'done' }, close: async () => void (opened.closed += 1) };
  const bus = { ...sight.bus, close: async () => undefined };
  const shell = {
    ...recordingShell({ env: { PROBE_URL: url, PROBE_INTEGRATION: integration, PROBE_TOKEN: 'secret-word', ...env } }),
    clock: systemClock,
    random: systemRandom,
  };
  const runner = runnerType({ ACTION_SCHEDULES: undefined });
  const openStores = async () => {
    opened.stores += 1;
    return { bus, kv } as never;
  };
  const program = createProgram(shell, testAbout, [
    probeCommand({
      shell,
      openStores,
      isRemote: () => false,
      openBus: async () => bus as never,
      openKv: async () => kv as never,
      findRunning: async () => null,
      openKeeper: () => undefined as never,
      catalogues: () => ({
        runner: runner.catalogue,
        pusher: discoverActions(handlers),
        schedules: runnerSchedules(runner),
      }),
    }),
  ]);
  const run = async (...args: string[]) => {
    const code = await runProgram(shell, program, ['probe', ...args]);
    return { code: code === 0 ? shell.exitCode() : code, out: shell.lines.join('\n'), err: shell.errors.join('\n') };
  };
  return { run, taken, opened, url };
};

test('an event goes out once, with its integration and token, and ends with 0 when it is accepted', async (t) => {
  const { run, taken, opened } = await world(t);
  const { code, out, err } = await run('--no-doctor');
  t.is(code, 0, out);
  t.deepEqual(taken, [{ path: `/webhooks?integration_id=${integration}`, token: 'secret-word' }]);
  t.regex(out, /^ok +webhook +stored event [\da-f]{12} of ranger-relay-probe/m);
  t.regex(out, /^ok +platform +accepted/m);
  t.regex(err, /^Sending a test event of ranger-relay-probe/);
  t.false(`${out}${err}`.includes('secret-word'));
  t.deepEqual(opened, { stores: 1, closed: 1 });
});

test('as JSON there is one object with every finding and what was sent', async (t) => {
  const { run } = await world(t);
  const { out } = await run('--no-doctor', '--output', 'json');
  const { ok, checks, event } = JSON.parse(out) as { ok: boolean; checks: { name: string }[]; event: object };
  t.true(ok);
  t.deepEqual(
    checks.map(({ name }) => name),
    ['webhook', 'platform'],
  );
  t.like(event, { integration, source: 'ranger-relay-probe' });
});

test('up to the webhook alone, and up to readiness, no store is opened', async (t) => {
  const stored = await world(t);
  t.is((await stored.run('--no-doctor', '--until', 'stored')).code, 0);
  t.is(stored.opened.stores, 0);
  const ready = await world(t, { PROBE_INTEGRATION: '', PROBE_TOKEN: '' });
  const { code, out } = await ready.run('--no-doctor', '--until', 'ready', '--deadline', '5s');
  t.is(code, 0, out);
  t.deepEqual(ready.taken, []);
});

test('the checks of the doctor come first, and a failed one ends with 1 although the event was accepted', async (t) => {
  const { run, taken } = await world(t, {
    PLATFORM_API_BASE_URL: 'http://127.0.0.1:1',
    PLATFORM_SENSORS_BASE_URL: 'http://127.0.0.1:1',
    PLATFORM_TOKEN_URL: 'http://127.0.0.1:1',
    PLATFORM_CLIENT_ID: 'a',
    PLATFORM_CLIENT_SECRET: 'b',
  });
  const { code, out } = await run();
  t.is(code, 1);
  t.regex(out, /^failed +platform token[^]*^ok +platform +accepted/m);
  t.is(taken.length, 1);
});

test('without an integration nothing is sent, and the call is wrong', async (t) => {
  const { run, taken } = await world(t, { PROBE_INTEGRATION: '', DATA_DIR: '/nowhere' });
  const { code, err } = await run('--no-doctor');
  t.is(code, 2);
  t.regex(err, /set PROBE_INTEGRATION/);
  t.deepEqual(taken, []);
});
