import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mockServer, type ReceivedRequest, type Responder } from '@ranger-relay/http/testing';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test, { type ExecutionContext } from 'ava';
import { actionsTokenName } from '../actions/options.ts';
import { openDataDir } from '../data-dir/index.ts';
import { writeMarker } from '../data-dir/marker.ts';
import { simulateCommand } from './command.ts';

const instance = '5e0c3c5e-0000-4000-8000-000000000001';
const accepted = { status: 'success', accepted: ['300434030099999'], failed: [], unknown: [] };

/** A message pusher that gives one answer, and a data directory of an `up` beside it. */
const harness = async (t: ExecutionContext, respond: Responder = () => Response.json(accepted)) => {
  const { origin, port, requests } = await mockServer(t, respond);
  const dir = await mkdtemp(join(tmpdir(), 'relay-text-'));
  await writeMarker(dir, {
    version: 1,
    instance_id: instance,
    created_at: '2026-01-01T00:00:00.000Z',
    bus_since: null,
    kv_since: null,
    platform: 'simulated',
    owner: null,
  });
  await mkdir(join(dir, 'secrets'));
  await writeFile(join(dir, 'secrets', actionsTokenName), 'kept-token\n');
  const up = await openDataDir(dir, { clock: systemClock, random: systemRandom });
  await up.announce({ status: origin, ingester: origin, forwarder: origin, pusher: origin, runner: origin });
  t.teardown(async () => {
    await up.release();
    await rm(dir, { recursive: true, force: true });
  });
  // Where another installation of the machine would listen.
  const env = { DATA_DIR: dir, PUSHER_PORT: String(port) };
  const shell = { ...recordingShell({ env }), clock: systemClock, random: systemRandom };
  const program = () => createProgram(shell, testAbout, [simulateCommand({ shell })]);
  const run = async (...args: string[]): Promise<number> =>
    (await runProgram(shell, program(), ['simulate', 'text', ...args])) || shell.exitCode();
  return { requests, origin, shell, dir, up, run };
};

interface Message {
  readonly data: string;
  readonly messageId: string;
  readonly attributes: Record<string, string>;
}

const messageOf = (request: ReceivedRequest | undefined): Message =>
  (JSON.parse(request?.body ?? '') as { message: Message }).message;

const dataOf = (message: Message): unknown => JSON.parse(Buffer.from(message.data, 'base64').toString());

test('a text goes out as a push of the platform, for the trial device of `up`, with its token', async (t) => {
  const { run, requests, shell } = await harness(t);
  t.is(await run('Return to camp'), 0);
  t.like(requests[0], { url: '/push-data', headers: { authorization: 'Bearer kept-token' } });
  const message = messageOf(requests[0]);
  t.like(message.attributes, { destination_id: instance, stream_type: 'txt' });
  t.like(dataOf(message), {
    event_type: 'MessageTransformedText',
    payload: { Message: 'Return to camp', Recipients: ['300434030099999'], Sender: 'ops@site.example' },
  });
  t.regex(JSON.parse(message.attributes['tracing_context'] ?? '{}').traceparent, /^00-[\da-f]{32}-[\da-f]{16}-01$/);
  t.regex(shell.lines.join('\n'), /The vendor accepted the text for 300434030099999/);
});

test('every text is another delivery', async (t) => {
  const { run, requests } = await harness(t);
  await run('one');
  await run('one');
  const messages = requests.map(messageOf);
  t.is(new Set(messages.map(({ messageId }) => messageId)).size, 2);
  t.is(new Set(messages.map(({ attributes }) => attributes['delivery_id'])).size, 2);
});

test('device, sender, integration, address and token can be named', async (t) => {
  const { run, requests } = await harness(t);
  t.is(await run('x', '--to', '123', '--sender', 'a@b.example', '--integration', 'park', '--token', 'other'), 0);
  t.is(requests[0]?.headers['authorization'], 'Bearer other');
  const message = messageOf(requests[0]);
  t.is(message.attributes['destination_id'], 'park');
  t.like(dataOf(message), { payload: { Recipients: ['123'], Sender: 'a@b.example' } });
});

test('a text that was not sent ends with 1 and says why', async (t) => {
  const failed = { accepted: [], failed: [{ recipient: '1', code: 4, error: 'The device is unknown' }], unknown: [] };
  const given = await harness(t, () => Response.json(failed));
  t.is(await given.run('x'), 1);
  t.regex(given.shell.errors.join('\n'), /not sent: The device is unknown/);

  const later = await harness(t, () =>
    Response.json({ detail: { error: 'Service unreachable', error_type: 'connectivity' } }, { status: 500 }),
  );
  t.is(await later.run('x'), 1);
  t.regex(later.shell.errors.join('\n'), /Not yet sent \(HTTP 500\): Service unreachable/);
});

test('a wrong token and a service that is away are said with what to check', async (t) => {
  const refused = await harness(t, () => Response.json({ detail: {} }, { status: 401 }));
  t.is(await refused.run('x'), 1);
  t.regex(refused.shell.errors.join('\n'), /refuses the caller.*\n.*AUTH_TOKEN/s);
  const away = await harness(t, () => Response.error());
  t.is(await away.run('x'), 1);
  t.true(away.shell.errors.join('\n').includes(`No answer from the message-pusher at ${away.origin}`));
});

test('where nothing runs on DATA_DIR, no pusher of another installation gets the text', async (t) => {
  const { run, requests, shell, up } = await harness(t);
  await up.release();
  t.is(await run('x'), 1);
  t.regex(shell.errors.join('\n'), /none runs there/);
  t.deepEqual(requests, []);
});

test('beside nothing, an integration must be named; what is no device or no text is refused', async (t) => {
  const { run, shell, dir } = await harness(t);
  await rm(join(dir, 'store.json'));
  t.is(await run('x'), 2);
  t.regex(shell.errors.join('\n'), /--integration is needed/);
  t.is(await run('x', '--to', 'abc'), 2);
  t.is(await run(''), 2);
});
