import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { z } from 'zod';
import type { ActionSpec } from './action.ts';
import { defineAction, discoverActions } from '../index.ts';

const plain: ActionSpec = { type: 'generic', config: z.object({}), run: () => null };
const define = (parts: object = {}) => defineAction({ ...plain, ...parts } as ActionSpec);
const push = (model: string) => define({ type: 'push', model });

test('every export named action_<id> is found, and nothing else', (t) => {
  const { actions, get } = discoverActions({
    action_pull_events: define({ type: 'pull' }),
    action_auth: define({ type: 'auth' }),
    helper: define(),
    default: 7,
  });
  t.deepEqual(
    actions.map(({ id }) => id),
    ['auth', 'pull_events'],
  );
  t.is(get('auth')?.type, 'auth');
  t.is(get('helper'), undefined);
  t.is(get('constructor'), undefined);
});

const broken: [string, string, unknown, RegExp][] = [
  ['not made by defineAction', 'action_a', { ...plain }, /defineAction/],
  ['a function', 'action_a', () => null, /defineAction/],
  ['nothing', 'action_a', undefined, /defineAction/],
  ['an id with other characters', 'action_Pull-Events', define(), /its id/],
  ['an empty id', 'action_', define(), /its id/],
  ['a reserved id', 'action_webhook', define(), /reserved/],
  ['an unknown type', 'action_a', define({ type: 'cron' }), /its type/],
  ['a config that is no zod object', 'action_a', define({ config: z.string() }), /zod object/],
  ['a pull config that is no schema', 'action_a', define({ type: 'pull', config: {} }), /zod object/],
  ['no run', 'action_a', define({ run: undefined }), /run/],
  ['a schedule on something that is no pull', 'action_a', define({ schedule: '* * * * *' }), /only a pull/],
  ['a bad crontab', 'action_a', define({ type: 'pull', schedule: '61 * * * *' }), /schedule "61 \* \* \* \*"/],
  ['data on something that is no push', 'action_a', define({ data: z.object({}) }), /only a push/],
  ['a push without a model', 'action_a', define({ type: 'push' }), /data model/],
  ['a model with a star inside', 'action_a', push('A*B'), /data model/],
  ['data that is no schema', 'action_a', define({ type: 'push', model: 'A', data: {} }), /zod schema/],
  ['a timeout of nothing', 'action_a', define({ timeout: 0 }), /timeout/],
  ['a timeout that is no number', 'action_a', define({ timeout: '5' }), /timeout/],
  [
    'a run_on_schedule that is no switch',
    'action_a',
    define({ type: 'pull', config: z.object({ run_on_schedule: z.string() }) }),
    /run_on_schedule/,
  ],
];
for (const [what, name, value, rule] of broken)
  test(`stops the start: ${what}`, (t) => {
    const error = t.throws(() => discoverActions({ action_fine: define(), [name]: value }));
    t.true(isRelayError(error, 'action_definition_invalid'));
    t.true(error.message.includes(name), error.message);
    t.regex(error.message, rule);
  });

test('stops the start: two push handlers of one data model', (t) => {
  const error = t.throws(() => discoverActions({ action_a: push('Text*'), action_b: push('Text*') }));
  t.regex(error.message, /action_b.*action_a/);
});

test('stops the start: a module without any action', (t) => {
  t.regex(t.throws(() => discoverActions({ actions_a: define() })).message, /no export/);
});

test('data finds its handler by the exact name, else by the longest start', (t) => {
  const { ofModel } = discoverActions({
    action_all: push('Message*'),
    action_text: push('MessageText*'),
    action_one: push('MessageTextLong'),
  });
  t.is(ofModel('MessageOther')?.id, 'all');
  t.is(ofModel('MessageTextShort')?.id, 'text');
  t.is(ofModel('MessageTextLong')?.id, 'one');
  t.is(ofModel('Other'), undefined);
  t.is(ofModel('Message*')?.id, 'all');
});

test('a deployment may name the data model', (t) => {
  const { ofModel } = discoverActions({ action_a: push('Old') }, { models: { a: 'New*' } });
  t.is(ofModel('NewText')?.id, 'a');
  t.is(ofModel('Old'), undefined);
});

test('scheduled pulling is off unless the configuration turns it on', (t) => {
  const { get } = discoverActions({
    action_a: define({ type: 'pull', config: z.object({ days: z.number() }) }),
    action_b: define({ type: 'pull', config: z.object({ run_on_schedule: z.boolean() }) }),
    action_c: define({ config: z.object({}) }),
  });
  t.deepEqual<unknown, unknown>(get('a')?.config.parse({ days: 1 }), { days: 1, run_on_schedule: false });
  t.false(get('b')?.config.safeParse({}).success);
  t.false('run_on_schedule' in (get('c')?.config.shape ?? {}));
});

test('a schedule is read once', (t) => {
  const { get } = discoverActions({ action_a: define({ type: 'pull', schedule: '*/10 * * * * -5' }) });
  t.is(get('a')?.crontab?.offsetHours, -5);
});

test('an action under another name is not served, and told', (t) => {
  const { actions, ignored } = discoverActions({
    action_a: define(),
    pull_all: define(),
    actions_b: define(),
    helper: 1,
  });
  t.deepEqual(
    actions.map(({ id }) => id),
    ['a'],
  );
  t.deepEqual(ignored, ['pull_all', 'actions_b']);
});
