import { strangeLabels } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { appHarness, type AppHarness } from './test/app-harness.ts';
import { coded, endings, type Ending } from './test/vendor.ts';
import { account, imeiA, messageTo, textCanary } from './test/harness.ts';

const basic = Buffer.from(`${account.username}:${account.password}`).toString('base64');

/** Says again what it was sent, and what else must not be seen. */
const echo =
  (status: number): Ending =>
  ({ headers }) =>
    new Response(`${headers['authorization']} ${account.password} ${textCanary}`, {
      status,
      headers: { 'retry-after': '1' },
    });

const failing: Readonly<Record<string, Ending>> = {
  ...Object.fromEntries([200, 302, 400, 401, 403, 404, 422, 429, 500, 502, 503, 504].map((n) => [n, echo(n)])),
  'a code': coded(422, 4),
  'a reset': endings.reset,
  'half an answer': endings.half,
};

/** No secret, no text, no device; and label values of the service's own metrics are words that it knows. */
const assertClean = async (t: ExecutionContext, { port }: AppHarness): Promise<string> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  for (const canary of ['c4n4ry', 'C4n4ry', basic, account.username, imeiA, 'right-token'])
    t.false(text.includes(canary), canary);
  t.deepEqual(strangeLabels(text), []);
  return text;
};

test('however the vendor fails, neither credentials nor texts nor devices stand in the metrics', async (t) => {
  const plan: Ending[] = [];
  const w = await appHarness(t, plan, { PUSH_AMBIGUOUS: 'resend' });
  for (const [what, ending] of Object.entries(failing)) {
    plan.splice(0, plan.length, ...Array.from({ length: 50 }, () => ending));
    await w.push([imeiA], { attributes: { delivery_id: what } });
    await w.execute({ action_id: 'auth' });
    t.true(plan.length <= 48, what);
  }
  const text = await assertClean(t, w);
  t.regex(text, /^relay_action_runs_total\{action="push_messages",outcome="failed"\} \d+$/m);
  t.regex(text, /^relay_http_calls_total\{upstream="vendor",outcome="401"\} [1-9]\d*$/m);
  t.regex(text, /^relay_texts_total\{outcome="failed"\} [1-9]\d*$/m);
  t.regex(text, /^relay_dead_letters_total\{kind="push_message",reason="\w+"\} \d+$/m);
});

test('what callers and records make up is no label', async (t) => {
  const w = await appHarness(t);
  t.is((await w.push([imeiA], {}, { authorization: 'Bearer c4n4ry-caller' })).status, 401);
  await w.execute({ action_id: 'c4n4ry_action' });
  await w.execute({ action_id: 'auth', config_overrides: { password: 'c4n4ry-override', api_url: 'c4n4ry' } });
  for (const path of ['/', '/push-data', '/config-events'])
    for (const body of [{ c4n4ry: 1 }, w.envelope([imeiA], { data: { event_type: 'C4n4ry', action_id: 'c4n4ry' } })])
      await w.post(path, body);
  await w.push(['c4n4ry', imeiA], { attributes: { delivery_id: 'c4n4ry', destination_id: 'c4n4ry' } });
  await w.push([imeiA], { data: { ...messageTo(['c4n4ry']), event_type: 'MessageTransformedC4n4ry' } });
  for (const record of ['c4n4ry', '{"c4n4ry":1}']) await w.consumed(record);
  const text = await assertClean(t, w);
  t.regex(text, /^relay_action_runs_total\{action="unknown",outcome="refused"\} \d+$/m);
  t.regex(text, /^relay_dead_letters_total\{kind="push_envelope",reason="request_malformed"\} \d+$/m);
});
