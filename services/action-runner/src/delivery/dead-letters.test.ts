import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { harness, integrationId } from '../events/test/harness.ts';

test('a record of a newer version waits apart for that version, one that cannot be read is a dead letter, and others pass', async (t) => {
  const w = harness();
  w.bus.publish([
    { key: `${integrationId}:newer`, value: JSON.stringify({ v: 2, form: 'unknown' }) },
    { key: `${integrationId}:broken`, value: 'no JSON' },
  ]);
  w.write('e1');
  await w.run();
  t.is(w.platform.ofEvent('e1').length, 1);
  t.deepEqual(
    w.bus.undone().map(({ key }) => key.split(':')[1]),
    ['newer'],
  );
  t.deepEqual(
    w.deadLettered.map(({ kind, reason }) => [kind, reason]),
    [['site_event', 'record_unreadable']],
  );
});

test('what waits for an integration that is gone becomes dead letters, and nothing is lost of them', async (t) => {
  const w = harness();
  for (const id of ['a', 'b']) w.write(id);
  w.platform.before = () => {
    throw new RelayError('integration_gone', { details: { integration: integrationId } });
  };
  await w.run();
  for (let n = 0; n < 40 && w.bus.undone().length > 0; n += 1) {
    w.clock.jump(3_600_000);
    await w.deliver();
  }
  t.deepEqual(
    w.deadLettered.map(({ kind, reason }) => [kind, reason]),
    [
      ['site_event', 'integration_gone'],
      ['site_event', 'integration_gone'],
    ],
  );
  t.deepEqual(
    w
      .rowsOfLetters()
      .map(({ id }) => id)
      .sort(),
    ['a', 'b'],
  );
});

test('a row that the topic does not take for its size becomes a dead letter, and the others of its page are sent', async (t) => {
  const w = harness();
  for (const id of ['a', 'large', 'b']) w.write(id, id === 'large' ? { title: 'x'.repeat(50_000) } : {});
  const publish = w.bus.publish.bind(w.bus);
  w.bus.publish = (records) => {
    const large = records.find(({ value }) => value.length > 40_000);
    if (large)
      throw new RelayError('record_too_large', {
        details: { bytes: 50_000, limit: 40_000, topic: topics.siteEvents.name },
      });
    publish(records);
  };
  await w.run();
  t.deepEqual(
    ['a', 'large', 'b'].map((id) => w.platform.ofEvent(id).length),
    [1, 0, 1],
  );
  t.like(w.deadLettered, [{ kind: 'site_event', reason: 'record_too_large' }]);
  t.deepEqual(
    w.rowsOfLetters().map(({ id }) => id),
    ['large'],
  );
});
