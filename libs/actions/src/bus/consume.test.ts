import { commandsTopic, type TopicSpec } from '@ranger-relay/contracts';
import { temporaryBus } from '@ranger-relay/bus/testing';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { commandConsumer } from './commands.ts';
import { publishCommand } from '../execute/follow-up.ts';
import { handlers } from '../test/actions.ts';
import { harness } from '../test/harness.ts';

const spec: TopicSpec = commandsTopic('site');

test('on a bus, a long run holds up no other, and what is run is committed', async (t) => {
  const slow = Promise.withResolvers<null>();
  const ran: (string | null)[] = [];
  const quick = Promise.withResolvers<void>();
  const w = harness(
    handlers('generic', async ({ integration }) => {
      ran.push(integration.id);
      if (integration.id === 'slow') return slow.promise;
      quick.resolve();
      return null;
    }),
  );
  w.platform.configs = { work: {} };
  const { bus } = await temporaryBus(t, { topics: [spec] });
  const { clock, random, log, runtime } = w;
  const draft = { at: 0, actionId: 'work', triggeredBy: 'auto' as const };
  await publishCommand(bus, spec.name, { ...draft, eventId: 'a', integrationId: 'slow' });
  await publishCommand(bus, spec.name, { ...draft, eventId: 'b', integrationId: 'quick' });
  const group = 'action-runner';
  const subscription = await bus.consume(
    commandConsumer({
      time: () => w.clock.now(),
      runtime,
      context: { clock, random, log, metrics: testContext({ clock }).metrics },
      topic: spec.name,
      group,
    }),
  );
  await quick.promise;
  t.deepEqual([...ran].sort(), ['quick', 'slow']);
  slow.resolve(null);
  await subscription.close();
  t.deepEqual(await bus.pending(spec.name, group), []);
});
