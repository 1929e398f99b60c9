import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { z } from 'zod';
import { defineAction, discoverActions, registrationBody, registrationWarnings, type TypeSpec } from '../index.ts';
import { action } from '../test/actions.ts';
import { typeSlug } from './body.ts';
import { titleOf } from './form.ts';

const catalogue = discoverActions({
  action_auth: action('auth', undefined, { executable: true, title: 'Sign in', description: 'Checks the account' }),
  action_pull_events: action('pull', undefined, { schedule: '0 */4 * * mon-fri -5' }),
  action_pull_rest: action('pull', undefined, { uiSchema: { days: { 'ui:widget': 'range' } } }),
  action_push_texts: action('push'),
  action_inner: action('generic', undefined, { internal: true }),
  action_inner_pull: action('pull', undefined, { internal: true }),
});

const spec: TypeSpec = { slug: ' Site_Connector ', catalogue, serviceUrl: 'https://runner.example/base' };
const bodyOf = (parts: Partial<TypeSpec> = {}) => registrationBody({ ...spec, ...parts });
const actionOf = (id: string, parts: Partial<TypeSpec> = {}) => {
  const found = bodyOf(parts).actions.find(({ value }) => value === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

test('every action but internal ones is in it, with its type, name and schema', (t) => {
  t.deepEqual(
    bodyOf().actions.map(({ value, type }) => `${value} ${type}`),
    ['auth auth', 'pull_events pull', 'pull_rest pull', 'push_texts push'],
  );
  const { schema, ...auth } = actionOf('auth');
  t.deepEqual(auth, {
    type: 'auth',
    name: 'Sign in',
    value: 'auth',
    description: 'Checks the account',
    ui_schema: { 'ui:order': ['days', 'password'] },
    is_periodic_action: false,
  });
  t.like(schema, { is_executable: true, definitions: {} });
  t.is(actionOf('push_texts').name, 'Push Texts');
});

test('pull actions are periodic, with the members of their schedule', (t) => {
  t.like(actionOf('pull_events'), {
    is_periodic_action: true,
    crontab_schedule: {
      minute: '0',
      hour: '*/4',
      day_of_week: '1-5',
      day_of_month: '*',
      month_of_year: '*',
      tz_offset: -5,
    },
  });
  t.like(actionOf('pull_rest'), {
    is_periodic_action: true,
    ui_schema: { 'ui:order': ['days', 'password', 'run_on_schedule'], days: { 'ui:widget': 'range' } },
    crontab_schedule: { minute: '*/10', hour: '*', tz_offset: 0 },
  });
  t.false('crontab_schedule' in actionOf('push_texts'));
});

test('a schedule at registration wins over the handler’s, and is split at the first colon', (t) => {
  const { crontab_schedule: members } = actionOf('pull_events', { schedules: ['pull_events: 5,35 1-3 1 jan 0 +2 '] });
  t.deepEqual(members, {
    minute: '5,35',
    hour: '1-3',
    day_of_week: '0',
    day_of_month: '1',
    month_of_year: '1',
    tz_offset: 2,
  });
});

for (const [wrong, sentence] of [
  ['pull_events', /must be <action id>:<crontab>/],
  ['auth:* * * * *', /"auth" is no pull action; those are pull_events, pull_rest/],
  ['inner_pull:* * * * *', /"inner_pull" is no pull action/],
  ['none:* * * * *', /"none" is no pull action/],
  ['pull_events:* * * *', /4 fields/],
  ['pull_events:0 0:30 * * *', /hour "0:30"/],
] as const)
  test(`the schedule "${wrong}" is refused`, (t) => {
    const error = t.throws(() => bodyOf({ schedules: [wrong] }), { message: sentence });
    t.true(isRelayError(error, 'crontab_invalid'));
  });

test('two schedules for one action are refused', (t) => {
  t.throws(() => bodyOf({ schedules: ['pull_events:* * * * *', 'pull_events:0 * * * *'] }), {
    message: /already has a schedule/,
  });
});

test('the model for people is published where it differs, and both have the switch of a pull', (t) => {
  const wide = z.object({ a: z.string().optional(), hidden: z.string().optional() });
  const types = discoverActions({
    action_pull: defineAction({ type: 'pull', config: wide, published: wide.omit({ hidden: true }), run: () => null }),
  });
  const { schema } = actionOf('pull', { catalogue: types });
  t.deepEqual(Object.keys((schema as { properties: object }).properties), ['a', 'run_on_schedule']);
});

test('the address ends in a slash, and is left out when there is none', (t) => {
  t.is(bodyOf().service_url, 'https://runner.example/base/');
  t.is(bodyOf({ serviceUrl: 'https://runner.example' }).service_url, 'https://runner.example/');
  t.false('service_url' in bodyOf({ serviceUrl: undefined }));
});

test('the webhook is there when the type has one', (t) => {
  t.false('webhook' in bodyOf());
  const { webhook } = bodyOf({ webhook: z.object({ on: z.boolean().default(true) }) });
  t.like(webhook, {
    value: 'site_connector_webhook',
    name: 'Site Connector Webhook',
    description: '',
    schema: { definitions: {}, properties: { on: { default: true } } },
    ui_schema: { 'ui:order': ['on'] },
  });
});

test('slugs are trimmed and lower case, names their titles', (t) => {
  t.like(bodyOf(), { value: 'site_connector', name: 'Site Connector' });
  t.is(typeSlug(' X_Tracker2\n'), 'x_tracker2');
  t.is(titleOf('x__tracker'), 'X Tracker');
  for (const wrong of ['', ' ', 'a-b', 'a b', 'ä'])
    t.regex(t.throws(() => typeSlug(wrong)).message, /^INTEGRATION_TYPE_SLUG is /, wrong);
});

test('a schedule that restricts both kinds of days is warned of', (t) => {
  t.deepEqual(registrationWarnings(spec), []);
  const [warning, ...more] = registrationWarnings({ ...spec, schedules: ['pull_events:0 0 13 * 5'] });
  t.regex(warning ?? '', /"0 0 13 \* 5" of pull_events restricts both kinds of days/);
  t.is(more.length, 0);
});

test('nothing secret is in it', (t) => {
  const config = z.object({ token: z.string().default('canary-value').meta({ secret: true }) });
  const types = discoverActions({ action_auth: defineAction({ type: 'auth', config, run: () => null }) });
  t.false(JSON.stringify(bodyOf({ catalogue: types })).includes('canary-value'));
});
