import { parseEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { pusherEnv } from './config.ts';

test('the defaults are those of the contract', (t) => {
  t.like(parseEnv(pusherEnv, {}), {
    PORT: 8082,
    INTEGRATION_TYPE_SLUG: 'device_connector',
    PUSH_TIMEOUT_S: 60,
    PUSH_AMBIGUOUS: 'resend',
    PUSH_MAX_AGE_H: 24,
    PUSH_ID_ATTRIBUTE: 'delivery_id',
    PUSH_MESSAGE_EVENT_TYPE: 'MessageTransformed*',
    HTTP_ALLOWED_NETWORKS: [],
  });
});

const refused: readonly (readonly [NodeJS.ProcessEnv, RegExp])[] = [
  [{ PUSH_TIMEOUT_S: '0' }, /^PUSH_TIMEOUT_S is "0", but takes a whole number from 1 to 300/],
  [{ PUSH_TIMEOUT_S: '1.5' }, /^PUSH_TIMEOUT_S is "1.5"/],
  [{ PUSH_AMBIGUOUS: 'maybe' }, /^PUSH_AMBIGUOUS is "maybe", but takes one of resend, hold/],
  [{ PUSH_MAX_AGE_H: '200' }, /^PUSH_MAX_AGE_H is "200", but takes a whole number from 1 to 160/],
  [{ PUSH_ID_ATTRIBUTE: 'x'.repeat(101) }, /^PUSH_ID_ATTRIBUTE is "x+/],
  [{ PUSH_MESSAGE_EVENT_TYPE: 'Message*Sent' }, /^PUSH_MESSAGE_EVENT_TYPE is "Message\*Sent", but takes letters/],
  [{ INTEGRATION_TYPE_SLUG: 'device-connector' }, /^INTEGRATION_TYPE_SLUG is "device-connector", but takes letters/],
  [{ INTEGRATION_COMMANDS_TOPIC: 'a b' }, /^INTEGRATION_COMMANDS_TOPIC is "a b", but takes letters/],
  [{ HTTP_ALLOWED_NETWORKS: '10.0.0.1' }, /^HTTP_ALLOWED_NETWORKS is "10.0.0.1", but takes networks/],
];
for (const [env, sentence] of refused)
  test(`${JSON.stringify(env).slice(0, 40)} stops the start with one sentence`, (t) => {
    const error = t.throws(() => parseEnv(pusherEnv, env));
    t.regex(error?.message ?? '', sentence);
    t.false(error?.message.includes('\n'));
  });

test('a text is given up before the platform ends its redeliveries of seven days', (t) => {
  t.notThrows(() => parseEnv(pusherEnv, { PUSH_MAX_AGE_H: '160' }));
  t.throws(() => parseEnv(pusherEnv, { PUSH_MAX_AGE_H: '168' }));
});
