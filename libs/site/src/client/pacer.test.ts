import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { cut, data, loopbackSite, html502, plain, type Answer, type FakeSite } from '../test/fake-site.ts';

const throttled = (seconds: number): Answer => plain(429, '', { 'retry-after': String(seconds) });

/** A site that answers by the time of its clock. */
const siteWhere = async (
  t: Parameters<typeof loopbackSite>[0],
  answerAt: (ms: number, count: number) => Answer,
  options: Parameters<typeof loopbackSite>[2] = {},
): Promise<FakeSite> => {
  let count = 0;
  const here: FakeSite = await loopbackSite(
    t,
    (asked) => {
      count += 1;
      return answerAt(here.clock.monotonic(), count)(asked);
    },
    options,
  );
  return here;
};

test('429 pauses all requests together, once, and is no failed try', async (t) => {
  const { site, asked, waits } = await siteWhere(t, (ms) => (ms < 90_000 ? throttled(30) : data({})));
  await Promise.all(Array.from({ length: 8 }, () => site.probe()));
  t.deepEqual(
    waits.map(({ waitMs }) => waitMs),
    [30_000, 30_000, 30_000],
  );
  t.true(asked.length <= 6 + 3 + 1 + 8, `${asked.length} requests`);
});

test('after 429 half as many requests leave at a time, and all of them again once the site answers', async (t) => {
  const held: (() => void)[] = [];
  let [count, high, least, last] = [0, 0, 1, Infinity];
  const release = (): void => held.splice(0).forEach((respond) => respond());
  const answer: Answer = async (asked) => {
    count += 1;
    if (count === 1) return throttled(5)(asked);
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(resolve);
    high = Math.max(high, held.length);
    if (count > 70) least = 4;
    // Responses wait until as many requests as expected are here, and a little longer for one too many.
    if (held.length >= least || count >= last) setTimeout(release, 5);
    await promise;
    return data({})(asked);
  };
  const { site } = await loopbackSite(t, answer);
  await site.probe();
  [high, least, last] = [0, 2, count + 9];
  await Promise.all(Array.from({ length: 9 }, () => site.probe()));
  t.is(high, 2);
  [least, last] = [1, count + 80];
  await Promise.all(Array.from({ length: 80 }, () => site.probe()));
  t.is(high, 4);
});

test('an outage is waited for until the patience is used up, once for all requests', async (t) => {
  const { site, waits, clock } = await siteWhere(t, (ms, count) => (count === 1 ? data({}) : html502), {
    patienceMs: 60_000,
  });
  await site.probe();
  const ended = await Promise.allSettled(Array.from({ length: 8 }, () => site.probe()));
  t.true(ended.every((each) => each.status === 'rejected' && isRelayError(each.reason, 'site_unavailable')));
  t.deepEqual(
    waits.map(({ waitMs }) => waitMs),
    [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000],
  );
  await t.throwsAsync(site.probe());
  t.is(clock.monotonic(), 60_000);
});

test('an outage that is shorter than the patience fails nothing', async (t) => {
  const { site } = await siteWhere(t, (ms, count) => (count > 1 && ms < 60_000 ? cut : data({})));
  await site.probe();
  await t.notThrowsAsync(Promise.all(Array.from({ length: 8 }, () => site.probe())));
});

const isAway = (ms: number): boolean => ms % 100_000 > 1_000 && ms % 100_000 < 60_000;

test('each outage has the whole patience', async (t) => {
  const { site, clock } = await siteWhere(t, (ms) => (isAway(ms) ? html502 : data({})), { patienceMs: 80_000 });
  await site.probe();
  for (let outage = 0; outage < 3; outage += 1) {
    await clock.advance(100_000 - (clock.monotonic() % 100_000) + 2_000);
    await t.notThrowsAsync(site.probe());
  }
});

test('a site that throttles and never lets a request through is given up', async (t) => {
  const { site, waits } = await loopbackSite(t, throttled(1));
  t.true(isRelayError(await t.throwsAsync(site.probe()), 'site_unavailable'));
  t.is(waits.length, 30);
});
