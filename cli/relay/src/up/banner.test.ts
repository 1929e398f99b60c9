import test from 'ava';
import { banner } from './banner.ts';

const facts = {
  dataDir: '/data',
  pid: 42,
  statusUrl: 'http://127.0.0.1:8080',
  webhookUrl: 'http://127.0.0.1:8081/webhooks',
  forwarderUrl: 'http://127.0.0.1:8084',
  platformUrl: 'http://127.0.0.1:9999',
  warnings: [],
};

const trial = { integrationId: 'park', token: 'tok', devices: 6 };

test('with simulators it gives three things to try, the webhook calls complete and readable JSON', (t) => {
  const text = banner({ ...facts, trial });
  const calls = text.split('\n').filter((line) => line.includes('/webhooks?integration_id=park'));
  t.is(calls.length, 2);
  for (const call of calls) {
    t.true(call.includes("-H 'X-Outbound-Auth-Token: tok'"));
    const body = /-d '(.*)'$/.exec(call)?.[1]?.replace("'$(date +%s000)'", '1700000000000') ?? '';
    t.is((JSON.parse(body) as { Events: unknown[] }).Events.length, 1);
  }
  t.regex(text, /kill -9 42/);
});

test('with a real platform it shows no token and no trial', (t) => {
  const text = banner(facts);
  t.notRegex(text, /curl|Token/);
  t.regex(text, /platform\s+http:\/\/127\.0\.0\.1:9999/);
});

test('what was wrong with the stores is said aloud', (t) => {
  t.regex(banner({ ...facts, warnings: ['kv.sqlite was missing'] }), /Note: kv\.sqlite was missing/);
});
