import { loopbackServer, type Responder } from '@ranger-relay/http/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import { simulateCommand } from './command.ts';
import { createPoster, type PosterOptions } from './post.ts';
import { answered, scripted } from './test/scripted.ts';

const url = 'http://127.0.0.1:1/webhooks';

const harness = (statuses: readonly number[], interactive = false) => {
  const shell = recordingShell({ interactive });
  const ingester = scripted(statuses.map((status) => answered(status)));
  const connected: PosterOptions[] = [];
  let closed = 0;
  const connect = (options: PosterOptions) => {
    connected.push(options);
    return { post: ingester.post, close: () => void (closed += 1) };
  };
  const program = createProgram(shell, testAbout, [simulateCommand({ shell, connect })]);
  const run = async (...args: string[]) => {
    const running = runProgram(shell, program, ['simulate', '--url', url, '--token', 'secret-token', ...args]);
    await shell.clock.advance(100_000);
    return running;
  };
  return { shell, connected, run, closed: () => closed, sent: ingester.sent };
};

test('a run with everything acknowledged ends with 0 and a summary', async (t) => {
  const { run, shell, connected, closed } = harness([200]);
  t.is(await run('--duration', '10s', '--rate', '2', '--integration', 'a', '--connections', '2'), 0);
  t.like(connected[0], { url, token: 'secret-token', integration: 'a', connections: 2 });
  t.regex(shell.lines.join('\n'), /events +20 of 20 acknowledged/);
  t.regex(shell.errors.join('\n'), /^5 s: \d+ events acknowledged/m);
  t.is(closed(), 1);
});

test('on a terminal a bar is drawn and cleared at the end', async (t) => {
  const { run, shell } = harness([200], true);
  await run('--duration', '3s');
  t.true(shell.bars.length >= 3);
  t.regex(shell.bars[0] ?? '', /█/);
  t.is(shell.bars.at(-1), '');
});

test('a POST that is not acknowledged at the end makes the end 1', async (t) => {
  const { run, shell, closed } = harness([401]);
  t.is(await run('--duration', '1s', '--rate', '1'), 1);
  t.regex(shell.errors.join('\n'), /1 of 1 POSTs were not acknowledged with 200/);
  t.regex(shell.lines.join('\n'), /answers +401 +1 +Unauthorized/);
  t.is(closed(), 1);
});

const bodiesOf = async (...args: string[]) => {
  const { run, sent, shell } = harness([200]);
  await run('--duration', '2s', ...args);
  return { sent: sent.map(({ body }) => body), told: /--seed (\d+)/.exec(shell.errors.join('\n'))?.[1] };
};

test('the seed is told, so that the run can be repeated', async (t) => {
  const first = await bodiesOf();
  const again = await bodiesOf('--seed', String(first.told));
  t.deepEqual(again.sent, first.sent);
  t.notDeepEqual((await bodiesOf('--seed', '1')).sent, first.sent);
});

test('the token is never printed', async (t) => {
  const { run, shell } = harness([503]);
  await run('--duration', '1s', '--grace', '1s');
  t.notRegex([...shell.lines, ...shell.errors].join('\n'), /secret-token/);
});

for (const args of [
  ['--devices', '0'],
  ['--rate', '-1'],
  ['--duplicates', '200'],
  ['--duration', 'long'],
  ['--batch', '99999'],
])
  test(`the call with ${args.join(' ')} is wrong and nothing is sent`, async (t) => {
    const { run, sent } = harness([200]);
    t.is(await run(...args), 2);
    t.deepEqual(sent, []);
  });

const server = async (t: ExecutionContext, responder: Responder) => {
  const { origin, requests } = await loopbackServer(t, responder);
  const target = { url: `${origin}/webhooks`, token: 'tok', integration: 'a' };
  const poster = createPoster({ ...target, connections: 2, clock: manualClock() });
  t.teardown(() => poster.close());
  return { requests, post: (body: string, signal = new AbortController().signal) => poster.post(body, signal) };
};

const stored = { total_observations: 1, total_messages: 0 };

test('a POST looks as the vendor’s does', async (t) => {
  const { requests, post } = await server(t, () => Response.json(stored));
  t.like(await post('{"Events":["ä"]}'), { status: 200, body: JSON.stringify(stored) });
  t.is(requests[0]?.body, '{"Events":["ä"]}');
  t.like(requests[0]?.headers, {
    'x-outbound-auth-token': 'tok',
    'x-integration-id': 'a',
    'content-type': 'application/json',
  });
});

test('Retry-After is read, and a redirect is an answer like others', async (t) => {
  const { post } = await server(
    t,
    () => new Response('', { status: 302, headers: { location: '/elsewhere', 'retry-after': '3' } }),
  );
  t.like(await post('{}'), { status: 302, retryAfterMs: 3_000 });
});

test('a broken connection is told by its reason', async (t) => {
  const { post } = await server(t, () => Response.error());
  t.deepEqual(await post('{}'), { status: null, reason: 'ECONNRESET' });
});

test('nobody at the address is told by its reason', async (t) => {
  const poster = createPoster({ url, token: 'tok', connections: 1, clock: manualClock() });
  t.deepEqual(await poster.post('{}', new AbortController().signal), { status: null, reason: 'ECONNREFUSED' });
  poster.close();
});

test('a POST that is called off ends', async (t) => {
  const { post } = await server(t, () => Response.json(stored));
  t.like(await post('{}', AbortSignal.abort()), { status: null });
});

for (const [missing, args] of [
  ['--url <address>', ['--token', 'x']],
  ['--token <token>', ['--url', url]],
] as const)
  test(`a run without ${missing} is a wrong call`, async (t) => {
    const shell = recordingShell();
    const program = createProgram(shell, testAbout, [simulateCommand({ shell })]);
    t.is(await runProgram(shell, program, ['simulate', ...args]), 2);
    t.true(shell.errors.join('\n').includes(`required option '${missing}' not specified`));
  });
