import test from 'ava';
import { handlers } from '../test/actions.ts';
import { envelope, httpHarness } from '../test/http-harness.ts';
import { park } from '../test/harness.ts';
import type { ActionContext } from '../define/context.ts';

const seen: Pick<ActionContext, 'receivedAt' | 'origin' | 'traceparent'>[] = [];
const look = (context: ActionContext): null => {
  seen.push(context);
  return null;
};

test('a handler is told when its message came, from where, in which trace, and how much time is left', async (t) => {
  let left = 0;
  const w = httpHarness(
    handlers('generic', (context: ActionContext) => {
      left = context.timeLeft();
      return look(context);
    }),
    {},
    { maxExecutionMs: 60_000 },
  );
  w.platform.configs = { work: {} };
  const before = w.clock.now();
  const command = envelope({ integration_id: park, action_id: 'work' });
  t.is((await w.post('/', command, { traceparent: '00-abc' })).status, 200);
  t.like(seen.at(-1), { receivedAt: before, origin: null, traceparent: '00-abc' });
  t.is(left, 60_000);
  const origin = { topic: 'commands', partition: 1, offset: '2' };
  await w.run('work', { receivedAt: 5, origin });
  t.like(seen.at(-1), { receivedAt: 5, origin, traceparent: undefined });
});
