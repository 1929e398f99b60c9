import { defineAction, discoverActions } from '@ranger-relay/actions';
import test from 'ava';
import { z } from 'zod';
import { trialConfigurations } from './simulation.ts';

const start = '2026-01-01T00:00:00.000Z';

const catalogue = discoverActions({
  action_watch: defineAction({ type: 'generic', config: z.object({ tolerated: z.int().default(0) }), run: () => null }),
  action_pull_more: defineAction({ type: 'pull', config: z.object({ start_datetime: z.string() }), run: () => null }),
  action_known: defineAction({ type: 'generic', config: z.object({}), run: () => null }),
  action_changed: defineAction({ type: 'generic', config: z.object({}), run: () => null }),
});

test('an action that was added has settings in the trial', (t) => {
  t.deepEqual(trialConfigurations(catalogue, {}, {}, start), {
    watch: {},
    pull_more: { start_datetime: start },
    known: {},
    changed: {},
  });
});

test('what the trial sets, and what a person has changed since, stays', (t) => {
  const settings = trialConfigurations(
    catalogue,
    { changed: { by: 'a person' } },
    { known: { a: 1 }, changed: {} },
    start,
  );
  t.like(settings, { known: { a: 1 }, changed: { by: 'a person' } });
});

test('without actions there are only those of the trial', (t) => {
  t.deepEqual(trialConfigurations({ actions: [] }, {}, { auth: {} }, start), { auth: {} });
});
