import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { Finding } from '../doctor/finding.ts';
import { awaitAcceptance } from './accepted.ts';
import { world } from './test/world.ts';

type World = ReturnType<typeof world>;

/** Lets the clock run until the step has ended. */
const ended = async ({ clock, parts, sight, sent }: World, stepMs = 250): Promise<Finding> => {
  const found: Finding[] = [];
  void awaitAcceptance(parts, sight, sent).then((finding) => found.push(finding));
  while (found.length === 0) await clock.advance(stepMs);
  return found[0] as Finding;
};

type Read = World['sight']['bus']['read'];

/** A reading that yields nothing and then does something. */
const readingThat = (act: (signal?: AbortSignal) => Promise<unknown>): Read =>
  async function* ({ signal }) {
    yield* [];
    await act(signal);
  };

const failing = readingThat(() => Promise.reject(new RelayError('bus_unavailable', { details: { reason: 'gone' } })));
const hanging = readingThat((signal) => new Promise((resolve) => signal?.addEventListener('abort', resolve)));

test('an event that the forwarder has marked as done is accepted', async (t) => {
  const here = world();
  await here.mark('done');
  t.like(await ended(here), { status: 'ok', name: 'platform' });
  t.is(here.clock.pending(), 0);
});

test('a claim is not an acceptance: it is waited on', async (t) => {
  const here = world();
  await here.mark('claimed:somebody');
  here.clock.after(2_000, () => void here.mark('done'));
  const finding = await ended(here);
  t.is(finding.status, 'ok');
  t.regex(finding.detail, /2 s later/);
});

test('an event that the platform refused is done too, and told as refused by its dead letter', async (t) => {
  const here = world();
  here.bury('another-event');
  here.bury();
  await here.mark('done');
  const finding = await ended(here);
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /refused the test event: item_refused/);
  t.regex(finding.remedy ?? '', /dlq show letter-9/);
});

test('dead letters of other events are no refusal', async (t) => {
  const here = world();
  here.bury('another-event');
  await here.mark('done');
  t.is((await ended(here)).status, 'ok');
});

test('when the dead letters cannot be read, acceptance is not claimed', async (t) => {
  const here = world();
  await here.mark('done');
  const finding = await ended({ ...here, sight: { ...here.sight, bus: { ...here.sight.bus, read: failing } } });
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /cannot be seen: .*gone/);
});

test('dead letters that take too long to read end the step', async (t) => {
  const here = world();
  await here.mark('done');
  const finding = await ended({ ...here, sight: { ...here.sight, bus: { ...here.sight.bus, read: hanging } } }, 1_000);
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /did not finish within 10000 ms/);
});

const late: readonly (readonly [string, (here: World) => void, RegExp])[] = [
  ['waits on the bus', ({ lay }) => lay(), /waits on the bus, 1 event/],
  ['was parked', ({ park }) => park(), /was parked/],
  ['was refused', ({ bury }) => bury(), /refused the test event/],
  ['left no trace', () => undefined, /left the bus, but the store has no mark/],
];
for (const [what, prepare, detail] of late)
  test(`an event that ${what} when the time is over is told so`, async (t) => {
    const here = world();
    prepare(here);
    here.end();
    const finding = await ended(here);
    t.is(finding.status, 'failed');
    t.regex(finding.detail, detail);
    t.truthy(finding.remedy);
  });

test('a store that is away for a while holds nothing up', async (t) => {
  const here = world();
  await here.mark('done');
  here.state.away = true;
  here.clock.after(3_000, () => (here.state.away = false));
  t.is((await ended(here)).status, 'ok');
});

test('a store that stays away is what is told', async (t) => {
  const here = world();
  here.state.away = true;
  here.clock.after(5_000, () => here.end());
  const finding = await ended(here);
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /cannot be seen: .*taken away/);
});
