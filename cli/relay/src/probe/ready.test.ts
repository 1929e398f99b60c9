import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import test from 'ava';
import { askReady } from './ready.ts';
import { stepWorld } from './test/world.ts';

const away = (): RelayError =>
  new RelayError('http_connect', { details: { target: 'webhook.test', reason: 'refused' } });

/** Asks a webhook that answers in turn, the last answer for ever. */
const asked = async (answers: readonly (number | RelayError)[]) => {
  const { parts, clock, end } = stepWorld();
  const urls: string[] = [];
  const request: HttpClient['request'] = async ({ url }) => {
    urls.push(url);
    const answer = answers[Math.min(urls.length, answers.length) - 1];
    if (answer instanceof RelayError) throw answer;
    return { status: answer } as HttpAnswer;
  };
  const asking = askReady({ ...parts, http: { request } });
  await clock.advance(10_000);
  end();
  return { finding: await asking, urls, pending: clock.pending() };
};

test('readiness is asked at the door of the webhook until it is there', async (t) => {
  const { finding, urls } = await asked([away(), 503, 200]);
  t.is(finding.status, 'ok');
  t.deepEqual([urls.length, urls[0]], [3, 'http://webhook.test/readyz']);
});

test('what never is ready is told with its last answer', async (t) => {
  const { finding, pending } = await asked([503]);
  t.like(finding, { status: 'failed' });
  t.regex(finding.detail, /answers 503/);
  t.is(pending, 0);
});
