import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { Finding } from '../doctor/finding.ts';
import type { PostAnswer } from '../simulate/post.ts';
import { answered, broken } from '../simulate/test/scripted.ts';
import { awaitAcceptance, storeEvent } from './chain.ts';
import { stepHarness, harness } from './test/harness.ts';

/** Posts to a webhook that answers in turn, the last answer for ever, for so long. */
const posted = async (answers: readonly PostAnswer[], forMs = 30_000) => {
  const { parts, sent, clock, end, told } = stepHarness();
  const bodies: string[] = [];
  const post = async (body: string): Promise<PostAnswer> => {
    bodies.push(body);
    return answers[Math.min(bodies.length, answers.length) - 1] as PostAnswer;
  };
  const storing = storeEvent({ ...parts, post }, sent);
  await clock.advance(forMs);
  end();
  return { finding: await storing, bodies, told, sent, pending: clock.pending() };
};

test('an event that the webhook takes at once is posted once', async (t) => {
  const { finding, bodies, sent } = await posted([answered(200)]);
  t.is(finding.status, 'ok');
  t.regex(finding.detail, /ranger-relay-probe/);
  t.deepEqual(bodies, [sent.body]);
});

test('a webhook that is not there yet, or cannot store, is tried again with the same event', async (t) => {
  const { finding, bodies, told } = await posted([broken, answered(503), answered(200)]);
  t.is(finding.status, 'ok');
  t.is(new Set(bodies).size, 1);
  t.is(bodies.length, 3);
  t.regex(told.join('\n'), /ECONNRESET[^]*answers 503/);
});

test('when the time is over the last answer is told, and nothing waits any more', async (t) => {
  const away = await posted([answered(503, { body: { detail: { error: 'The bus is away' } } })]);
  t.like(away.finding, { status: 'failed' });
  t.regex(away.finding.detail, /answers 503: The bus is away/);
  t.is(away.pending, 0);
  t.regex((await posted([broken])).finding.detail, /does not answer: ECONNRESET/);
});

for (const [status, remedy] of [
  [401, /WEBHOOK_TOKENS_FILE/],
  [404, /integration/],
] as const)
  test(`a refusal with ${status} ends it at once with its remedy`, async (t) => {
    const { finding, bodies } = await posted([answered(status)]);
    t.is(finding.status, 'failed');
    t.regex(finding.remedy ?? '', remedy);
    t.is(bodies.length, 1);
  });

test('a 200 that stored nothing is no success', async (t) => {
  const disabled = await posted([answered(200, { body: { total_observations: 0, total_messages: 0 } })]);
  t.like(disabled.finding, { status: 'failed' });
  t.regex(disabled.finding.remedy ?? '', /enabled.*include_observations/);
  const rejected = await posted([
    answered(200, { body: { total_observations: 0, rejected: [{ index: 0, code: 'bad_time', reason: 'too far' }] } }),
  ]);
  t.regex(rejected.finding.detail, /bad_time too far/);
});

test('an answer that is none of a webhook is no success', async (t) => {
  t.is((await posted([{ status: 200, body: '<html>', retryAfterMs: undefined }])).finding.status, 'failed');
});

type Harness = ReturnType<typeof harness>;

/** Lets the clock run until the step has ended. */
const ended = async ({ clock, parts, sight, sent }: Harness, stepMs = 250): Promise<Finding> => {
  const found: Finding[] = [];
  void awaitAcceptance(parts, sight, sent).then((finding) => found.push(finding));
  while (found.length === 0) await clock.advance(stepMs);
  return found[0] as Finding;
};

type Read = Harness['sight']['bus']['read'];

/** A reading that yields nothing and then does something. */
const readingThat = (act: (signal?: AbortSignal) => Promise<unknown>): Read =>
  async function* ({ signal }) {
    yield* [];
    await act(signal);
  };

const failing = readingThat(() => Promise.reject(new RelayError('bus_unavailable', { details: { reason: 'gone' } })));
const hanging = readingThat((signal) => new Promise((resolve) => signal?.addEventListener('abort', resolve)));

test('an event that the forwarder has recorded as delivered is accepted', async (t) => {
  const here = harness();
  await here.deliver();
  t.like(await ended(here), { status: 'ok', name: 'platform' });
  t.is(here.clock.pending(), 0);
});

test('an acceptance that is not recorded yet is waited for', async (t) => {
  const here = harness();
  here.clock.after(2_000, () => void here.deliver());
  const finding = await ended(here);
  t.is(finding.status, 'ok');
  t.regex(finding.detail, /2 s later/);
});

test('an event that the platform refused is done too, and told as refused by its dead letter', async (t) => {
  const here = harness();
  await here.deadLetter('another-event');
  await here.deadLetter();
  await here.deliver();
  const finding = await ended(here);
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /refused the test event: item_refused/);
  t.regex(finding.remedy ?? '', /dlq show letter-9/);
});

test('dead letters of other events are no refusal', async (t) => {
  const here = harness();
  await here.deadLetter('another-event');
  await here.deliver();
  t.is((await ended(here)).status, 'ok');
});

test('when the dead letters cannot be read, acceptance is not claimed', async (t) => {
  const here = harness();
  await here.deliver();
  const finding = await ended({ ...here, sight: { ...here.sight, bus: { ...here.sight.bus, read: failing } } });
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /is unknown whether .*: .*gone/);
});

test('dead letters that take too long to read end the step', async (t) => {
  const here = harness();
  await here.deliver();
  const finding = await ended({ ...here, sight: { ...here.sight, bus: { ...here.sight.bus, read: hanging } } }, 1_000);
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /did not finish within 10000 ms/);
});

const late: readonly (readonly [string, (here: Harness) => Promise<void>, RegExp])[] = [
  ['waits on the bus', ({ lay }) => lay(), /waits on the bus, 1 device/],
  ['was parked', ({ park }) => park(), /was parked/],
  ['was refused', ({ deadLetter }) => deadLetter(), /refused the test event/],
  ['left no trace', async () => undefined, /left the bus, but the store has no mark/],
];
for (const [what, prepare, detail] of late)
  test(`an event that ${what} when the time is over is told so`, async (t) => {
    const here = harness();
    await prepare(here);
    here.end();
    const finding = await ended(here);
    t.is(finding.status, 'failed');
    t.regex(finding.detail, detail);
    t.truthy(finding.remedy);
  });

test('a store that is away for a while holds nothing up', async (t) => {
  const here = harness();
  await here.deliver();
  here.state.away = true;
  here.clock.after(3_000, () => (here.state.away = false));
  t.is((await ended(here)).status, 'ok');
});

test('a store that stays away is what is told', async (t) => {
  const here = harness();
  here.state.away = true;
  here.clock.after(5_000, () => here.end());
  const finding = await ended(here);
  t.is(finding.status, 'failed');
  t.regex(finding.detail, /is unknown: .*taken away/);
});
