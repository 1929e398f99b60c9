import test from 'ava';
import { banner } from './banner.ts';

const facts = {
  dataDir: '/data',
  pid: 42,
  statusUrl: 'http://127.0.0.1:8080',
  webhookUrl: 'http://127.0.0.1:8081/webhooks',
  forwarderUrl: 'http://127.0.0.1:8084',
  actions: { pusherUrl: 'http://127.0.0.1:8082', runnerUrl: 'http://127.0.0.1:8083' },
  onAllAddresses: false,
  platformUrl: 'http://127.0.0.1:9999',
  warnings: [],
};

const trial = {
  integrationId: 'park',
  siteId: 'site',
  siteUrl: 'http://127.0.0.1:7777',
  token: 'tok',
  actionsToken: 'act',
  devices: 6,
  settings: ['DATA_DIR=/data'],
};

test('with simulators it gives five things to try, the calls complete and readable JSON', (t) => {
  const text = banner({ ...facts, trial });
  t.regex(text, /Five things to try/);
  const calls = text.split('\n').filter((line) => line.includes('/webhooks?integration_id=park'));
  t.is(calls.length, 2);
  for (const call of calls) {
    t.true(call.includes("-H 'X-Outbound-Auth-Token: tok'"));
    const body = /-d '(.*)'$/.exec(call)?.[1]?.replace("'$(date +%s000)'", '1700000000000') ?? '';
    t.is((JSON.parse(body) as { Events: unknown[] }).Events.length, 1);
  }
  const pull = text.split('\n').find((line) => line.includes('/v1/actions/execute')) ?? '';
  t.true(pull.includes('-H "Authorization: Bearer act"'));
  t.deepEqual(JSON.parse(/-d '(.*)'$/.exec(pull)?.[1] ?? ''), {
    integration_id: 'site',
    action_id: 'pull_observations',
  });
  t.regex(text, /DATA_DIR=\/data npx ranger-relay simulate text 'Return to camp'/);
  t.regex(text, /kill -9 42/);
});

test('with a real platform it shows no token and no trial', (t) => {
  const text = banner(facts);
  t.notRegex(text, /curl|Token|Bearer/);
  t.regex(text, /platform\s+http:\/\/127\.0\.0\.1:9999/);
  t.regex(text, /message pusher\s+http:\/\/127\.0\.0\.1:8082\/push-data/);
});

test('services that are off are not shown, nor anything to try with them', (t) => {
  const text = banner({ ...facts, actions: undefined, trial });
  t.notRegex(text, /message pusher|action runner|simulate text|execute/);
  t.regex(text, /Three things to try/);
});

test('what was wrong with the stores is said aloud', (t) => {
  t.regex(banner({ ...facts, warnings: ['kv.sqlite was missing'] }), /Note: kv\.sqlite was missing/);
});

test('it says when other machines can reach the services', (t) => {
  t.notRegex(banner(facts), /all addresses/);
  t.regex(banner({ ...facts, onAllAddresses: true }), /all addresses of this machine, in plain http/);
});
