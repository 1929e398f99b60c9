import test from 'ava';
import { answered, broken } from '../simulate/test/scripted.ts';
import type { PostAnswer } from '../simulate/post.ts';
import { storeEvent } from './stored.ts';
import { stepWorld } from './test/world.ts';

/** Posts to a webhook that answers in turn, the last answer for ever, for so long. */
const posted = async (answers: readonly PostAnswer[], forMs = 30_000) => {
  const { parts, sent, clock, end, told } = stepWorld();
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
