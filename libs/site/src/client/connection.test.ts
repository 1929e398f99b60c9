import { RelayError } from '@ranger-relay/errors';
import { recordingLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { choice, cut, data, holds, loopbackSite, plain, repeatable, type Answer } from '../test/fake-site.ts';

const stall: Answer = () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{"da')) }));

for (const [method, act] of Object.entries(repeatable))
  test(`${method} goes on after a broken connection`, async (t) => {
    const { site, asked } = await loopbackSite(t, [cut, holds]);
    await act(site);
    t.is(asked.filter((each) => each.method === method).length, 2);
  });

for (const method of ['PUT', 'PATCH', 'DELETE'])
  test(`${method} that is refused after its first answer was lost may have been carried out`, async (t) => {
    const refused = plain(403, { status: { code: 403, message: 'Forbidden' } });
    const { site } = await loopbackSite(t, [cut, refused]);
    const error = await t.throwsAsync(repeatable[method]?.(site) ?? Promise.resolve(), { instanceOf: RelayError });
    t.true(error.ambiguous);
    t.false((await t.throwsAsync(site.deleteSubject('t'), { instanceOf: RelayError })).ambiguous);
  });

test('a site that stalls runs into the time limit, which is logged and tried again', async (t) => {
  const { log, lines } = recordingLogger();
  const { site, asked } = await loopbackSite(t, [stall, data({})], { timeouts: { totalMs: 500 }, log });
  await site.probe();
  t.true(asked.length >= 2);
  t.true(lines.some(({ reason }) => reason === 'no answer within 0.5 s'));
});

test('a site that is not there is unavailable, and nothing was carried out', async (t) => {
  const { site, port } = await loopbackSite(t, data({}), { address: 'http://127.0.0.1:9' });
  t.true(port > 0);
  const error = await t.throwsAsync(site.patchChoice(choice, {}), { instanceOf: RelayError });
  t.is(error.code, 'site_unavailable');
  t.false(error.ambiguous);
  t.false(error.details['ambiguous']);
});
