import { isRelayError, RelayError, type ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import { calls, choice, data, fakeSite, holds, html502, plain, repeatable, type Answer } from '../test/fake-site.ts';

const subject = { id: 's', name: 'm', subject_subtype: 'ranger', is_active: true, additional: {} };

const throttled = (retryAfter: string): Answer => plain(429, { status: {} }, { 'retry-after': retryAfter });

for (const [method, act] of Object.entries(repeatable)) {
  test(`${method} to an address that never answered is tried 4 times, after 1, 2 and 4 s`, async (t) => {
    const { site, asked, waits } = await fakeSite(t, html502);
    const error = await t.throwsAsync(act(site), { instanceOf: RelayError });
    t.is(error.code, 'site_unavailable');
    t.like(error.details, { reason: 'HTTP 502', ambiguous: method !== 'GET' });
    t.is(asked.length, 4);
    t.deepEqual(
      waits.map(({ waitMs }) => waitMs),
      [1_000, 2_000, 4_000],
    );
  });

  for (const [name, first] of Object.entries({ 429: throttled('0'), 503: plain(503), 504: plain(504) }))
    test(`${method} goes on after ${name}`, async (t) => {
      const { site, asked } = await fakeSite(t, [first, holds]);
      await act(site);
      t.is(asked.filter((each) => each.method === method).length, 2);
    });

  for (const status of [400, 404, 418, 500, 501])
    test(`${method} is never repeated after ${status}`, async (t) => {
      const { site, waits } = await fakeSite(t, plain(status, { status: { code: status } }));
      await t.throwsAsync(act(site));
      t.is(waits.length, 0);
    });
}

test('Retry-After is obeyed, in seconds and as a date', async (t) => {
  const at = new Date(Date.UTC(2026, 0, 1) + 30_000 + 7_000).toUTCString();
  const { site, waits } = await fakeSite(t, [throttled('30'), throttled(at), data({})]);
  await site.probe();
  t.deepEqual(
    waits.map(({ waitMs }) => waitMs),
    [30_000, 7_000],
  );
});

test('nothing is sent before the wait is over, and who waits is told what for', async (t) => {
  const told: unknown[] = [];
  const waiting = Promise.withResolvers<void>();
  const { site, asked, clock, port } = await fakeSite(t, [throttled('5'), data({})], {
    onWait(wait) {
      told.push(wait);
      waiting.resolve();
    },
  });
  const probing = site.probe();
  await waiting.promise;
  await clock.advance(4_999);
  t.is(asked.length, 1);
  await clock.advance(1);
  await probing;
  t.is(asked.length, 2);
  const target = `GET 127.0.0.1:${port}/api/v1.0/user/me`;
  t.deepEqual(told, [{ target, reason: 'HTTP 429', waitMs: 5_000 }]);
});

const finals: Readonly<Record<number, ErrorCode>> = {
  400: 'site_refused',
  401: 'site_unauthorized',
  403: 'site_forbidden',
  404: 'site_not_found',
  405: 'site_too_old',
  409: 'site_conflict',
  422: 'site_refused',
  500: 'site_refused',
};

for (const [status, code] of Object.entries(finals))
  test(`${status} is ${code}, with JSON and with HTML`, async (t) => {
    const json = { status: { code: Number(status), message: 'No', detail: 'why' } };
    const { site, port } = await fakeSite(t, [plain(Number(status), json), plain(Number(status), '<html>')]);
    for (let time = 0; time < 2; time += 1) {
      const error = await t.throwsAsync(site.patchSubject(subject, { name: 'n' }), { instanceOf: RelayError });
      t.is(error.code, code);
      t.is(error.details['target'], `PATCH 127.0.0.1:${port}/api/v1.0/subject/s/`);
    }
  });

test('a refusal carries the words of the site', async (t) => {
  const { site } = await fakeSite(t, plain(400, { name: ['Too long.'], status: { code: 400 } }));
  const error = await t.throwsAsync(site.patchSubject(subject, { name: 'n' }));
  t.regex(error?.message ?? '', /\(400\): name: Too long\.; fix/);
});

for (const [to, shown] of [
  ['https://elsewhere.example/sso?ticket=1', 'https://elsewhere.example'],
  ['/login/?next=/', /http:\/\/127\.0\.0\.1:\d+\/login\/,/],
  ['', 'an unknown address'],
] as const)
  test(`a redirect to "${to}" is an error and is not followed`, async (t) => {
    const { site, asked } = await fakeSite(t, plain(302, '', to === '' ? {} : { location: to }));
    const error = await t.throwsAsync(site.probe());
    t.true(isRelayError(error, 'site_redirected'));
    t.regex(error?.message ?? '', shown instanceof RegExp ? shown : new RegExp(`redirects to ${shown},`));
    t.deepEqual(calls(asked), ['GET user/me']);
  });

test('a page of somebody else in place of JSON is no answer, also to a write', async (t) => {
  const { site } = await fakeSite(t, plain(200, '<html>Please log in</html>'));
  for (const act of Object.values(repeatable)) {
    const error = await t.throwsAsync(act(site));
    t.true(isRelayError(error, 'site_answer_unreadable'));
  }
});

test('an interrupt ends a wait at once, sends nothing more, and tells what is in doubt', async (t) => {
  const controller = new AbortController();
  const { site, asked } = await fakeSite(t, html502, {
    signal: controller.signal,
    onWait: () => setImmediate(() => controller.abort(new Error('interrupted'))),
  });
  for (const ambiguous of [true, false]) {
    const error = await t.throwsAsync(site.patchChoice(choice, {}), { instanceOf: RelayError });
    t.is(error.code, 'site_unavailable');
    t.like(error.details, { reason: 'interrupted', ambiguous });
  }
  t.is(asked.length, 1);
});

test('at most so many requests are under way as allowed', async (t) => {
  const held: (() => void)[] = [];
  let max = 0;
  const inPairs: Answer = async (asked) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(resolve);
    max = Math.max(max, held.length);
    if (held.length === 2) for (const answer of held.splice(0)) answer();
    await promise;
    return data({})(asked);
  };
  const { site } = await fakeSite(t, inPairs, { inFlight: 2 });
  await Promise.all(Array.from({ length: 12 }, () => site.patchChoice(choice, {})));
  t.is(max, 2);
});
