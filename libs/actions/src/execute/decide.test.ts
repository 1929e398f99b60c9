import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { z } from 'zod';
import type { ActionSpec } from '../define/action.ts';
import { defineAction, discoverActions } from '../index.ts';
import { decide, mergedConfig, type Decision, type Facts } from './decide.ts';

const config = z.object({ days: z.number().default(1), name: z.string(), run_on_schedule: z.boolean().default(false) });
const actionOf = (parts: Partial<ActionSpec>) => {
  const spec = { type: 'generic', config, run: () => null, ...parts } as ActionSpec;
  return discoverActions({ action_a: defineAction(spec) }).actions[0]!;
};
const pull = actionOf({ type: 'pull' });
const generic = actionOf({});
const push = actionOf({ type: 'push', model: 'M', data: z.object({ payload: z.object({ text: z.string() }) }) });

const facts = (parts: Partial<Facts> = {}): Facts => ({
  integrationId: 'park',
  action: pull,
  enabled: true,
  stored: { name: 'n', run_on_schedule: true },
  overrides: null,
  triggeredBy: 'auto',
  data: undefined,
  ...parts,
});

const wordOf = (decision: Decision): string => {
  if (decision.kind === 'run') return 'run';
  return decision.kind === 'skip' ? `skip ${decision.reason}` : `refuse ${decision.error.code}`;
};

const rows: [string, Partial<Facts>, string, string][] = [
  ['all is well', {}, 'run', 'run'],
  ['the integration is disabled', { enabled: false }, 'skip integration_disabled', 'refuse integration_disabled'],
  ['there is no configuration', { stored: null }, 'skip no_configuration', 'refuse action_config_missing'],
  ['there is none, but overrides', { stored: null, overrides: { name: 'o', run_on_schedule: true } }, 'run', 'run'],
  ['it does not fit', { stored: { name: 7 } }, 'skip invalid_configuration', 'refuse action_config_invalid'],
  ['it is no object', { stored: [1] }, 'skip invalid_configuration', 'refuse action_config_invalid'],
  ['overrides make it fit', { stored: { name: 7, run_on_schedule: true }, overrides: { name: 'o' } }, 'run', 'run'],
  ['overrides spoil it', { overrides: { name: 7 } }, 'skip invalid_configuration', 'refuse action_config_invalid'],
  ['the schedule is off', { stored: { name: 'n' } }, 'skip run_on_schedule_disabled', 'run'],
];
for (const [what, parts, scheduled, manual] of rows)
  test(`${what}: scheduled ${scheduled}, manual ${manual}`, (t) => {
    t.is(wordOf(decide(facts(parts))), scheduled);
    t.is(wordOf(decide(facts({ ...parts, triggeredBy: 'manual' }))), manual);
    t.is(wordOf(decide(facts({ ...parts, action: generic }))), manual);
  });

test('disabled is said before missing, missing before invalid', (t) => {
  t.is(wordOf(decide(facts({ enabled: false, stored: null }))), 'skip integration_disabled');
  t.is(wordOf(decide(facts({ stored: { name: 7, run_on_schedule: false } }))), 'skip invalid_configuration');
});

test('an action whose model has no members needs no configuration', (t) => {
  const bare = actionOf({ config: z.object({}) });
  t.deepEqual(mergedConfig({ action: bare, stored: null, overrides: null }), {});
  t.is(wordOf(decide(facts({ action: bare, stored: null }))), 'run');
});

test('data has to fit its model, and is read by it', (t) => {
  const decision = decide(facts({ action: push, data: { payload: { text: 'x', more: 1 } } }));
  t.deepEqual(decision.kind === 'run' && decision.data, { payload: { text: 'x' } });
  for (const data of [undefined, {}, { payload: { text: 7 } }, 'x'])
    t.is(wordOf(decide(facts({ action: push, data }))), 'refuse action_data_invalid');
});

test('a model that throws refuses, and problems never hold the value', (t) => {
  const odd = actionOf({
    config: z.object({
      name: z.string().transform(() => {
        throw new Error('no');
      }),
    }),
  });
  t.is(wordOf(decide(facts({ action: odd }))), 'refuse action_config_invalid');
  const decision = decide(facts({ stored: { name: ['canary'] }, triggeredBy: 'manual' }));
  t.false(decision.kind === 'refuse' && decision.error.message.includes('canary'));
});

const word = fc.oneof(fc.constant('n'), fc.integer(), fc.constant(null));
const settings = fc.record(
  { name: word, days: word, run_on_schedule: fc.oneof(fc.boolean(), word) },
  { requiredKeys: [] },
);
const stored = fc.oneof(settings, fc.constant(null), fc.constantFrom<unknown>([], 'x', 7, true));

testProp(
  'whatever is found: what runs fits the model with overrides over stored members, and only scheduled runs are skipped',
  [
    stored,
    fc.option(settings),
    fc.boolean(),
    fc.constantFrom('auto' as const, 'manual' as const),
    fc.constantFrom(pull, generic),
  ],
  (t, stored, overrides, enabled, triggeredBy, action) => {
    const decision = decide(facts({ stored, overrides, enabled, triggeredBy, action }));
    const scheduled = action === pull && triggeredBy === 'auto';
    t.is(decision.kind === 'skip', scheduled && decision.kind !== 'run');
    const whole = typeof stored === 'object' && !Array.isArray(stored);
    const merged = whole && (stored ?? overrides) ? { ...stored, ...overrides } : stored;
    const parsed = config.safeParse(merged);
    const goes = enabled && parsed.success && (!scheduled || parsed.data.run_on_schedule);
    t.is(decision.kind === 'run', goes);
    if (decision.kind === 'run') t.deepEqual<unknown, unknown>(decision.config, parsed.data);
    if (whole) t.deepEqual<unknown, unknown>(decision.raw, merged);
  },
);
