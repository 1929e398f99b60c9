import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { z } from 'zod';
import { defineAction, type ActionContext } from '../index.ts';
import { action } from '../test/actions.ts';
import { harness } from '../test/harness.ts';

const old = { token: 'old-token' };
const repaired = { token: 'new-token' };
const refusal = (): RelayError => new RelayError('site_unauthorized', { details: { target: 'GET site', status: 401 } });

/** A site that takes the repaired token alone. */
const setUp = () => {
  const seen: unknown[] = [];
  const ask = async ({ configOf }: Pick<ActionContext, 'configOf'>): Promise<string> => {
    const { token } = (await configOf('auth')) as typeof old;
    seen.push(token);
    if (token !== repaired.token) throw refusal();
    return 'good';
  };
  const w = harness({
    action_work: action('generic', ask),
    action_auth: defineAction({
      type: 'auth',
      config: z.object({ token: z.string() }),
      run: ({ config }) => config.token,
    }),
  });
  w.platform.configs = { work: {}, auth: old };
  return { ...w, seen };
};

test('credentials that were repaired a moment ago are used, and nobody hears of a failure', async (t) => {
  const w = setUp();
  w.platform.saved = { work: {}, auth: repaired };
  t.deepEqual(await w.run('work'), { kind: 'complete', result: 'good' });
  t.deepEqual(w.seen, ['old-token', 'new-token']);
  t.deepEqual(w.kinds(), ['Started', 'Complete']);
});

test('credentials that are still the same are refused once, and loaded anew once', async (t) => {
  const w = setUp();
  t.like(await w.run('work'), { kind: 'failed', report: { error_type: 'auth' } });
  t.deepEqual(w.seen, ['old-token']);
  t.is(w.platform.reloads, 1);
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
});

test('other failures load nothing, and a platform that is away changes nothing', async (t) => {
  const w = harness({ action_work: action('generic', () => Promise.reject(new RelayError('http_timeout'))) });
  w.platform.configs = { work: {} };
  t.like(await w.run('work'), { kind: 'failed', transient: true });
  t.is(w.platform.reloads, 0);
  const away = harness({
    action_work: action('generic', () => {
      away.platform.down = true;
      throw refusal();
    }),
  });
  away.platform.configs = { work: {} };
  t.like(await away.run('work'), { kind: 'failed', report: { error_type: 'auth' } });
});

test('what became invalid or disabled meanwhile is not run again', async (t) => {
  const w = setUp();
  w.platform.saved = { work: 'no object', auth: repaired };
  t.like(await w.run('work'), { kind: 'failed', report: { error_type: 'auth' } });
  t.deepEqual(w.seen, ['old-token']);
});

test('other credentials that are refused as well are one failure', async (t) => {
  const w = setUp();
  w.platform.saved = { work: {}, auth: { token: 'another' } };
  t.like(await w.run('work'), { kind: 'failed', report: { error_type: 'auth' } });
  t.deepEqual(w.seen, ['old-token', 'another']);
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
});

test('auth, and what a person runs from the portal, judge what is saved now', async (t) => {
  const w = setUp();
  w.platform.saved = { work: {}, auth: repaired };
  t.deepEqual(await w.run('auth', { triggeredBy: 'manual' }), { kind: 'complete', result: 'new-token' });
  const shown = harness({
    action_show: defineAction({
      type: 'generic',
      config: z.object({}),
      executable: true,
      run: async ({ configOf }) => configOf('auth'),
    }),
  });
  shown.platform.configs = { show: {}, auth: old };
  shown.platform.saved = { show: {}, auth: repaired };
  t.deepEqual(await shown.run('show', { triggeredBy: 'manual' }), { kind: 'complete', result: repaired });
});
