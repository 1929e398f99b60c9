import test from 'ava';
import { addressFor, positionOption, webhookAddress } from './options.ts';

const env = { PROBE_URL: undefined, INGESTER_PORT: 8081 };

test('the address is the one given, that of the environment, or this machine’s, in this order', (t) => {
  t.is(
    webhookAddress('https://a.example/webhooks', { ...env, PROBE_URL: 'http://b.example' }),
    'https://a.example/webhooks',
  );
  t.is(webhookAddress(undefined, { ...env, PROBE_URL: 'http://b.example' }), 'http://b.example/webhooks');
  t.is(webhookAddress(undefined, env), 'http://127.0.0.1:8081/webhooks');
});

test('the integration travels in the address, whatever header the webhook is set to', (t) => {
  t.is(addressFor('http://a.example/webhooks?x=1', 'park'), 'http://a.example/webhooks?x=1&integration_id=park');
});

test('a position is two numbers of degrees', (t) => {
  t.deepEqual(positionOption('-1.2861,36.8172'), { latitude: -1.2861, longitude: 36.8172 });
  for (const text of ['91,0', '0,181', '1', 'a,b', '1,2,3', '1e1,2'])
    t.throws(() => positionOption(text), { message: /degrees/ }, text);
});
