import test from 'ava';
import { z } from 'zod';
import { defineAction, type ExecuteRequest } from '../index.ts';
import { harness } from '../test/harness.ts';

const pushed: Partial<ExecuteRequest> = { wanted: { model: 'Text', data: {}, attributes: {} } };

const right = { work: { from: 'us' } };

const setUp = () => {
  const w = harness({
    action_work: defineAction({
      type: 'push',
      model: 'Text',
      config: z.object({ from: z.string() }),
      run: () => 'sent',
    }),
  });
  w.platform.configs = right;
  return w;
};

const refusals = [
  ['integration_disabled', { enabled: false }, { enabled: true }],
  ['integration_unknown', { known: false }, { known: true }],
  ['integration_other_type', { type: 'other' }, { type: 'site' }],
  ['action_config_missing', { configs: {} }, { configs: right }],
  ['action_config_invalid', { configs: { work: { from: 7 } } }, { configs: right }],
] as const;
for (const [code, cached, saved] of refusals) {
  test(`data is not refused with ${code} when that is so in the cache alone`, async (t) => {
    const w = setUp();
    Object.assign(w.platform, { ...cached, savedSince: saved });
    t.deepEqual(await w.run('', pushed), { kind: 'complete', result: 'sent' });
  });

  test(`data is refused with ${code} once the platform has said so now`, async (t) => {
    const w = setUp();
    Object.assign(w.platform, cached);
    t.like(await w.run('', pushed), { kind: 'refused', error: { code } });
    t.is(w.platform.reloads, 1);
  });

  test(`data waits instead of ${code} while the platform cannot be asked`, async (t) => {
    const w = setUp();
    Object.assign(w.platform, { ...cached, unreachable: true });
    t.like(await w.run('', pushed), { kind: 'refused', error: { code: 'platform_unavailable', next: 'retry' } });
  });
}

test('what needs no refusal asks nothing anew', async (t) => {
  const w = setUp();
  await w.run('', pushed);
  t.is(w.platform.reloads, 0);
});

test('the current settings of another action are what the platform has now, or an error', async (t) => {
  const w = harness({
    action_work: defineAction({
      type: 'push',
      model: 'Text',
      config: z.object({}),
      run: async ({ configOf, currentConfigOf }) => [await configOf('auth'), await currentConfigOf('auth')],
    }),
  });
  w.platform.configs = { work: {}, auth: 'old' };
  w.platform.saved = { work: {}, auth: 'new' };
  t.deepEqual(await w.run('', pushed), { kind: 'complete', result: ['old', 'new'] });
  w.platform.unreachable = true;
  t.like(await w.run('', pushed), { kind: 'failed', transient: true });
});
