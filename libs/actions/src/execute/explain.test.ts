import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { z } from 'zod';
import type { Facts } from './decide.ts';
import { defineAction, discoverActions, explain } from '../index.ts';
import { decide } from './decide.ts';

const config = z.object({
  days: z.number().default(1),
  password: z.string().default('').meta({ secret: true }),
});
const { actions } = discoverActions({
  action_a: defineAction({ type: 'pull', config, run: () => null }),
  action_b: defineAction({ type: 'generic', config, run: () => null }),
});

const facts = (parts: Partial<Facts> = {}): Facts => ({
  integrationId: 'park',
  action: actions[0]!,
  enabled: true,
  stored: { password: 'hush', run_on_schedule: true },
  overrides: null,
  triggeredBy: 'auto',
  data: undefined,
  ...parts,
});

test('everything is told, also behind the first obstacle', (t) => {
  const told = explain(facts({ enabled: false, stored: { days: 'x', password: 'hush', run_on_schedule: false } }));
  t.like(told, {
    enabled: false,
    configuration: 'invalid',
    runOnSchedule: false,
    decision: { reason: 'integration_disabled' },
  });
  t.deepEqual(
    told.problems.map(({ path }) => path),
    ['days'],
  );
});

test('the configuration is the one that the handler would get, with its secrets masked', (t) => {
  const { config: read } = explain(facts({ overrides: { days: 4 } }));
  t.deepEqual(read, { days: 4, password: '**********', run_on_schedule: true });
  t.false(JSON.stringify(explain(facts({ stored: { password: ['hush'] } })).config).includes('hush'));
});

test('without a configuration there is nothing to tell of it', (t) => {
  t.like(explain(facts({ stored: null })), { configuration: 'missing', config: null, runOnSchedule: null });
});

const word = fc.constantFrom<unknown>(1, 'x', null, undefined);
const stored = fc.oneof(
  fc.constant(null),
  fc.record({ days: word, run_on_schedule: fc.constantFrom<unknown>(true, false, 'x') }, { requiredKeys: [] }),
);

testProp(
  'the decision is that of the runtime, and what is told agrees with it',
  [fc.boolean(), stored, fc.constantFrom('auto', 'manual'), fc.constantFrom(...actions)],
  (t, enabled, data, triggeredBy, action) => {
    const given = facts({ enabled, stored: data, triggeredBy, action });
    const told = explain(given);
    t.deepEqual(told.decision, decide(given));
    const scheduled = action.type === 'pull' && triggeredBy === 'auto';
    const free = enabled && told.configuration === 'valid' && (!scheduled || told.runOnSchedule === true);
    t.is(told.decision.kind === 'run', free);
  },
);
