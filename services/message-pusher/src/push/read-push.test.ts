import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { messageTo, world } from '../test/world.ts';
import { readPush, type Push } from './read-push.ts';

const w = world();
const read = (change: Parameters<typeof w.inputTo>[1], recipients: readonly unknown[] = ['1']): Push | RelayError =>
  readPush(w.inputTo(recipients, change), w.deps.settings, w.clock.now());

test('a message is read with its account, each device once', (t) => {
  const push = read({}, ['2', 1, '1']);
  if (push instanceof RelayError) return t.fail(push.message);
  t.deepEqual(push.recipients, ['2', '1']);
  t.is(push.deliveryId, 'd1');
  t.false(push.sending instanceof RelayError);
});

const unreadable: readonly (readonly [string, unknown, RegExp])[] = [
  ['another type', { ...messageTo(['1']), event_type: 'Other' }, /event_type is not MessageTransformed\*/],
  ['no object', 'x', /event_type/],
  ['no payload', { event_type: 'MessageTransformed' }, /no list of Recipients/],
  ['recipients that are no list', messageTo(['1'], { Recipients: '1' }), /no list of Recipients/],
  ['no recipients', messageTo([]), /has no Recipients/],
  ['too many recipients', messageTo(Array.from({ length: 1_001 }, (_, n) => n)), /more than 1000/],
];
for (const [what, data, problem] of unreadable)
  test(`${what} is no message to devices`, (t) => {
    const push = read({ data });
    t.true(push instanceof RelayError && push.code === 'push_data_invalid');
    t.regex(push instanceof RelayError ? push.message : '', problem);
  });

test('a text that cannot be sent, or an account that is not there, keeps the devices', (t) => {
  const rows = [
    [{ data: messageTo(['1'], { Message: '' }) }, 'text_invalid', /Message is empty/],
    [{ auth: null }, 'push_unconfigured', /api_url/],
    [{ auth: { api_url: 'x', username: 'u' } }, 'push_unconfigured', /password/],
  ] as const;
  for (const [change, code, words] of rows) {
    const push = read(change);
    if (push instanceof RelayError || !(push.sending instanceof RelayError)) return t.fail(code);
    t.is(push.sending.code, code);
    t.regex(push.sending.message, words);
    t.deepEqual(push.recipients, ['1']);
  }
  return undefined;
});
