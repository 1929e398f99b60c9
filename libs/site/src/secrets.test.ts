import { inspect } from 'node:util';
import { RelayError } from '@ranger-relay/errors';
import { serveTcp } from '@ranger-relay/http/testing';
import { recordingLogger } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { canary, cut, loopbackSite, html502, plain, type Answer } from './test/fake-site.ts';

const everySide = (error: Error): string => {
  const { log, lines } = recordingLogger();
  log.error({ err: error }, 'failed');
  return [error.message, error.stack, inspect(error, { depth: 20, showHidden: true }), JSON.stringify(lines)].join(
    '\n',
  );
};

const shownAnywhere = async (t: ExecutionContext, answer: Answer): Promise<string> => {
  const { log, lines } = recordingLogger();
  const told: unknown[] = [];
  const { site, asked, clock } = await loopbackSite(t, answer, {
    log,
    timeouts: { totalMs: 100 },
    onWait(wait) {
      told.push(wait);
      setImmediate(() => void clock.advance(wait.waitMs));
    },
  });
  const errors = await Promise.all(
    [
      site.probe(),
      site.writeForm({ json: {}, ui: {} }, null),
      site.patchSubject({ id: 's', name: '', subject_subtype: '', is_active: true, additional: {} }, { name: 'x' }),
      site.subjects(),
    ].map((call) => t.throwsAsync(call, { instanceOf: RelayError })),
  );
  t.true(asked.length > 0);
  t.true(asked.every(({ path, query }) => !`${path}${query}`.includes(canary)));
  return [...errors.map(everySide), JSON.stringify(lines), JSON.stringify(told), inspect(site, { depth: 9 })].join(
    '\n',
  );
};

const echo = `{"detail":"bad token ${canary}","token":"${canary}","status":{"detail":"Bearer ${canary}"}}`;
const cases: Readonly<Record<string, Answer>> = {
  'a refused token that is repeated': plain(401, echo),
  'a refusal that repeats it': plain(400, echo),
  'a page that repeats it': plain(500, `<p>Authorization: Bearer ${canary}</p>`),
  'a redirect that carries it': plain(302, '', { location: `https://x.example/?token=${canary}` }),
  'a gateway': html502,
  'a broken connection': cut,
  'a time-out': () => new Promise(() => undefined),
  'no JSON': plain(200, `<p>${canary}</p>`),
};

for (const [name, answer] of Object.entries(cases))
  test(`${name} shows the token in no error, log line or wait`, async (t) => {
    t.false((await shownAnywhere(t, answer)).includes(canary));
  });

test('bytes that are no HTTP show no token either', async (t) => {
  const port = await serveTcp(t, (socket) => socket.end(`${canary}\r\n\r\n`));
  const { site } = await loopbackSite(t, plain(200), { address: `http://127.0.0.1:${port}` });
  t.false(everySide(await t.throwsAsync(site.probe(), { instanceOf: RelayError })).includes(canary));
});
