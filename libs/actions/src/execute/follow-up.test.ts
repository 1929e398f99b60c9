import { runActionCommandSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { handlers, scheduled } from '../test/actions.ts';
import { park, harness } from '../test/harness.ts';

const leaseKey = `integration_state.${park}.work.backfill-lock`;

const going = (parts: { fails?: boolean; overrides?: Record<string, unknown> } = {}) => {
  const w = harness(
    handlers('pull', ({ goOn }) => {
      goOn(parts.overrides);
      if (parts.fails) throw new Error('no');
      return { status: 'in_progress' };
    }),
  );
  w.platform.configs = { work: scheduled };
  return w;
};

test('the next command is published after the lease is released, and before this one is done with', async (t) => {
  const w = going();
  let seen: Record<string, string> = {};
  const { publish } = w.bus;
  w.bus.publish = async (...args) => {
    seen = w.space.values();
    return publish(...args);
  };
  t.is((await w.run('work', { deliveryId: 'm', triggeredBy: 'manual' })).kind, 'complete');
  t.deepEqual(seen, {});
  t.deepEqual(w.space.values(), { [`done.site.topic.${park}.work.m`]: 'done' });
  t.is(w.space.values()[leaseKey], undefined);
});

test('it copies who asked and the overrides, and says that it goes on', async (t) => {
  const w = going();
  await w.run('work', { triggeredBy: 'manual', overrides: { days: 2 } });
  const [command] = w.bus.values('site-actions-topic');
  t.like(runActionCommandSchema.parse(command), {
    integration_id: park,
    action_id: 'work',
    triggered_by: 'manual',
    config_overrides: { days: 2 },
    payload: { self_triggered: true },
  });
  t.is(w.bus.published[0]?.records[0]?.key, `${park}:work`);
  t.truthy(command?.['event_id']);
});

test('a message that is worked on again is followed by the same command, another one by another', async (t) => {
  const w = going();
  const idOf = async (deliveryId: string): Promise<unknown> => {
    await w.run('work', { deliveryId });
    await w.space.delete(`done.site.topic.${park}.work.${deliveryId}`);
    return w.bus.values('site-actions-topic').at(-1)?.['event_id'];
  };
  const first = await idOf('m');
  t.is(await idOf('m'), first);
  t.not(await idOf('n'), first);
  t.is(w.bus.published.length, 3);
});

test('a handler may give other overrides', async (t) => {
  const w = going({ overrides: { days: 9 } });
  await w.run('work', { overrides: { days: 2 } });
  t.like(w.bus.values('site-actions-topic')[0] ?? {}, { config_overrides: { days: 9 } });
});

test('a run that failed asks for nothing', async (t) => {
  const w = going({ fails: true });
  t.is((await w.run('work')).kind, 'failed');
  t.deepEqual(w.bus.published, []);
});

test('a run whose next command cannot be published has failed for a while', async (t) => {
  const w = going();
  w.bus.away = true;
  t.like(await w.run('work', { deliveryId: 'm' }), { kind: 'failed', transient: true });
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
  t.deepEqual(w.space.values(), {});
});
