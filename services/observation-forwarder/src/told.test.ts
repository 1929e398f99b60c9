import test from 'ava';
import { event, parkA, parkB } from './test/events.ts';
import { failure, harness } from './test/harness.ts';

test('a failure that a condition tells of has no second line in the log, and one that none tells of has its own', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.outage() : undefined);
  const told = () => w.lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ msg }) => msg);
  await w.handleEmergency([event(1)]);
  t.deepEqual(told(), ['sending failed; retrying']);
  await w.clock.advance(120_000);
  await w.handle([event(2, { integration_id: parkB })]);
  await w.handleEmergency([event(1)]);
  t.is(w.context.conditions.find('forwarding_failing', parkA)?.count, 1);
  t.is(told().length, 2);
  t.regex(String(told()[1]), /the platform takes none of its events/);
});

test('nothing is said to fail of an integration that is gone: its events wait no more', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.gone() : undefined);
  for (let n = 0; n < 8 && w.letters().length === 0; n += 1) {
    await w.handleParked([event(1)]);
    await w.clock.advance(400_000);
    await w.handle([event(10 + n, { integration_id: parkB })]);
  }
  t.is(w.letters()[0]?.reason, 'integration_gone');
  t.deepEqual(w.context.conditions.active(), []);
});
