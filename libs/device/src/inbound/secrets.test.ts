import { inspect } from 'node:util';
import { serveTcp, unusedPort } from '@ranger-relay/http/testing';
import { recordingLogger } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import type { InboundOutcome } from './outcome.ts';
import { account, answering, device, inboundFor, type Reply } from './test/vendor.ts';

const password = 'c4n4ry-p4ssw0rd';
const username = 'c4n4ry-us3r';
const text = 'c4n4ry <text> & "more" of it\nfor the northern gate';
const basic = Buffer.from(`${username}:${password}`).toString('base64');

const everySide = (outcome: InboundOutcome): string => {
  const { log, lines } = recordingLogger();
  log.error({ outcome, err: 'error' in outcome ? outcome.error : undefined }, 'failed');
  const error = 'error' in outcome ? [outcome.error.message, outcome.error.stack ?? ''] : [];
  return [
    ...error,
    JSON.stringify(outcome),
    inspect(outcome, { depth: 20, showHidden: true }),
    JSON.stringify(lines),
  ].join('\n');
};

const noneIn = async (t: ExecutionContext, apiUrl: string): Promise<void> => {
  const config = account(apiUrl, { username, password });
  const message = { text, sender: 'ops@site.org', timestamp: 1_749_033_310_000 };
  const outcome = await inboundFor(t, { timeoutMs: 500 }).sendText(config, message, device);
  const shown = everySide(outcome);
  for (const canary of ['c4n4ry', basic, 'northern gate', 'more&quot;']) t.false(shown.includes(canary), shown);
};

const repeating: readonly (readonly [string, Reply])[] = [
  [
    'in its description',
    { status: 422, body: JSON.stringify({ Code: 5, Description: `bad ${text}`, Message: password }) },
  ],
  [
    'as JSON in JSON',
    { status: 422, body: JSON.stringify({ Code: 7, Description: JSON.stringify({ text, username }) }) },
  ],
  [
    'in an unknown member',
    { status: 500, body: JSON.stringify({ echo: { Message: text, user: username, auth: basic } }) },
  ],
  ['in a list', { status: 422, body: JSON.stringify([text, basic]) }],
  ['as plain text', { status: 500, body: `${username} ${password} sent ${text}` }],
  [
    'as HTML',
    {
      status: 502,
      body: `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}</p>`,
    },
  ],
  ['cut', { status: 422, body: JSON.stringify({ Code: 5, Description: `${text.slice(0, 30)}…` }) }],
];
for (const [how, reply] of repeating)
  test(`a vendor that repeats credentials and text ${how} does not bring them into errors or logs`, async (t) => {
    await noneIn(t, (await answering(t, reply)).origin);
  });

test.serial('no failure on the way shows credentials or text', async (t) => {
  const ports = [
    await unusedPort(),
    await serveTcp(t, (socket) => socket.resume()),
    await serveTcp(t, (socket) => socket.once('data', () => socket.resetAndDestroy())),
    await serveTcp(t, (socket) => socket.once('data', (data) => socket.end(data))),
  ];
  for (const port of ports) await noneIn(t, `http://127.0.0.1:${port}`);
  await noneIn(t, 'http://8.8.8.8');
  await noneIn(t, `ftp://${username}:${password}@host`);
});
