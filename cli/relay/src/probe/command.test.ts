import { runnerSchedules, runnerType } from '@ranger-relay/action-runner';
import { discoverActions } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { httpAnswer, loopbackServer, scriptedHttp } from '@ranger-relay/http/testing';
import { handlers } from '@ranger-relay/message-pusher';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from '../data-dir/index.ts';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { type Position, probeEvent } from './event.ts';
import { addressFor, askReady, positionOption, probeCommand, webhookAddress } from './command.ts';
import { integration, stepHarness, harness as stores } from './test/harness.ts';

const away = (): RelayError =>
  new RelayError('http_connect', { details: { target: 'webhook.test', reason: 'refused' } });

/** Asks a webhook that answers in turn, the last answer for ever. */
const asked = async (answers: readonly (number | RelayError)[]) => {
  const { parts, clock, end } = stepHarness();
  const http = scriptedHttp(() => {
    const answer = answers[Math.min(http.requests.length, answers.length) - 1];
    if (answer instanceof RelayError) throw answer;
    return httpAnswer(answer ?? 500);
  });
  const asking = askReady(http, parts);
  await clock.advance(10_000);
  end();
  return { finding: await asking, urls: http.requests.map(({ url }) => url), pending: clock.pending() };
};

test('readiness is asked at the address of the webhook until it is there', async (t) => {
  const { finding, urls } = await asked([away(), 503, 200]);
  t.is(finding.status, 'ok');
  t.deepEqual([urls.length, urls[0]], [3, 'http://webhook.test/readyz']);
});

test('what never is ready is told with its last answer', async (t) => {
  const { finding, pending } = await asked([503]);
  t.like(finding, { status: 'failed' });
  t.regex(finding.detail, /answers 503/);
  t.is(pending, 0);
});

const env = { PROBE_URL: undefined, INGESTER_PORT: 8081, DATA_DIR: '/nowhere', KAFKA_BROKERS: undefined };

test('the address is the one given, or that of the environment, or that of the up of DATA_DIR, in this order', async (t) => {
  const named = { ...env, PROBE_URL: 'http://b.example' };
  t.is(await webhookAddress('https://a.example/webhooks', named), 'https://a.example/webhooks');
  t.is(await webhookAddress(undefined, named), 'http://b.example/webhooks');
  const DATA_DIR = await temporaryFolder(t);
  await t.throwsAsync(webhookAddress(undefined, { ...env, DATA_DIR }), { message: /none runs there/ });
  const KAFKA_BROKERS = [{ host: 'kafka', port: 9092 }];
  t.is(await webhookAddress(undefined, { ...env, DATA_DIR, KAFKA_BROKERS }), 'http://127.0.0.1:8081/webhooks');
  const up = await openDataDir(DATA_DIR, { clock: systemClock, random: systemRandom });
  const address = 'http://127.0.0.1:18081';
  await up.announce({ status: address, ingester: address, forwarder: address, pusher: null, runner: null });
  t.is(await webhookAddress(undefined, { ...env, DATA_DIR }), `${address}/webhooks`);
  await up.release();
});

test('the integration travels in the address, whatever header the webhook is set to', (t) => {
  t.is(addressFor('http://a.example/webhooks?x=1', 'park'), 'http://a.example/webhooks?x=1&integration_id=park');
});

test('a position is two numbers of degrees', (t) => {
  t.deepEqual(positionOption('-1.2861,36.8172'), { latitude: -1.2861, longitude: 36.8172 });
  for (const text of ['91,0', '0,181', '1', 'a,b', '1,2,3', '1e1,2'])
    t.throws(() => positionOption(text), { message: /degrees/ }, text);
});

/** A webhook that takes everything, and the command beside a bus and a store in which what it took is delivered. */
const harness = async (t: ExecutionContext, env: NodeJS.ProcessEnv = {}) => {
  const { sight, deliver } = stores();
  const { origin, requests } = await loopbackServer(t, async ({ body }) => {
    const { Events: [event] = [] } = JSON.parse(body || '{}') as { Events?: { timeStamp: number; point: Position }[] };
    if (event) await deliver(probeEvent(integration, event.timeStamp, event.point).eventId);
    return Response.json({ total_observations: 1, total_messages: 0 });
  });
  const taken = () => requests.filter(({ method }) => method === 'POST');
  const opened = { stores: 0, closed: 0 };
  const kv = { state: sight.state, close: async () => void (opened.closed += 1) };
  const bus = { ...sight.bus, close: async () => undefined };
  const shell = {
    ...recordingShell({
      env: { PROBE_URL: origin, PROBE_INTEGRATION: integration, PROBE_TOKEN: 'secret-word', ...env },
    }),
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
      dataDir: () => '/data',
      busSince: async () => null,
      openBus: async () => bus as never,
      openKv: async () => kv as never,
      findRunning: async () => null,
      openTopicAdmin: () => undefined as never,
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
  return { run, taken, opened };
};

test('an event goes out once, with its integration and token, and ends with 0 when it is accepted', async (t) => {
  const { run, taken, opened } = await harness(t);
  const { code, out, err } = await run('--no-doctor');
  t.is(code, 0, out);
  t.is(taken().length, 1);
  const headers = { 'x-outbound-auth-token': 'secret-word' };
  t.like(taken()[0], { url: `/webhooks?integration_id=${integration}`, headers });
  t.regex(out, /^ok +webhook +stored event [\da-f]{12} of ranger-relay-probe/m);
  t.regex(out, /^ok +platform +accepted/m);
  t.regex(err, /^Sending a test event of ranger-relay-probe/);
  t.false(`${out}${err}`.includes('secret-word'));
  t.deepEqual(opened, { stores: 1, closed: 1 });
});

test('as JSON there is one object with every finding and what was sent', async (t) => {
  const { run } = await harness(t);
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
  const stored = await harness(t);
  t.is((await stored.run('--no-doctor', '--until', 'stored')).code, 0);
  t.is(stored.opened.stores, 0);
  const ready = await harness(t, { PROBE_INTEGRATION: '', PROBE_TOKEN: '' });
  const { code, out } = await ready.run('--no-doctor', '--until', 'ready', '--deadline', '5s');
  t.is(code, 0, out);
  t.deepEqual(ready.taken(), []);
});

test('the checks of the doctor come first, and an accepted event ends with 0 whatever they found', async (t) => {
  const { run, taken } = await harness(t, {
    PLATFORM_API_BASE_URL: 'http://127.0.0.1:1',
    PLATFORM_SENSORS_BASE_URL: 'http://127.0.0.1:1',
    PLATFORM_TOKEN_URL: 'http://127.0.0.1:1',
    PLATFORM_CLIENT_ID: 'a',
    PLATFORM_CLIENT_SECRET: 'b',
  });
  const { code, out } = await run();
  t.is(code, 0);
  t.regex(out, /^failed +platform token[^]*^ok +platform +accepted/m);
  t.is(taken().length, 1);
});

test('without an integration nothing is sent, and the call is wrong', async (t) => {
  const { run, taken } = await harness(t, { PROBE_INTEGRATION: '', DATA_DIR: '/nowhere' });
  const { code, err } = await run('--no-doctor');
  t.is(code, 2);
  t.regex(err, /set PROBE_INTEGRATION/);
  t.deepEqual(taken(), []);
});
