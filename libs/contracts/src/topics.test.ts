import test from 'ava';
import { commandsTopic, kafkaTopicSettings, minInsyncFor, topics, type TopicSpec } from './index.ts';

test('no record is lost before its time, and the largest record fits with its key and headers', (t) => {
  for (const { name, retentionMs, maxRecordBytes, ...rest } of Object.values(topics)) {
    const settings = kafkaTopicSettings({ ...rest, retentionMs, maxRecordBytes });
    t.is(settings['cleanup.policy'], 'delete', name);
    t.is(settings['retention.ms'], String(retentionMs), name);
    t.true(Number(settings['max.message.bytes']) > maxRecordBytes, name);
  }
});

test('with three copies two must have a record, and one broker may always be away', (t) => {
  t.deepEqual([1, 2, 3, 5].map(minInsyncFor), [1, 1, 2, 2]);
});

const all: TopicSpec[] = [...Object.values(topics), commandsTopic('site_connector')];

test('names are unique and legal on every bus', (t) => {
  t.is(new Set(all.map(({ name }) => name)).size, all.length);
  for (const { name } of all) t.regex(name, /^[a-z0-9._-]{1,249}$/);
});

test('the catalogue holds the topics, partitions and retention that were agreed', (t) => {
  t.deepEqual(
    all.map(({ name, partitions, retentionMs }) => [
      name,
      partitions,
      retentionMs < 0 ? 'until done' : retentionMs / 86_400_000,
    ]),
    [
      ['source-events', 12, 14],
      ['emergencies', 3, 'until done'],
      ['sos-log', 3, 30],
      ['source-events-parked', 12, 'until done'],
      ['site-events', 12, 'until done'],
      ['outbound-messages', 12, 14],
      ['integration-events', 12, 7],
      ['config-events', 12, 2],
      ['dead-letters', 3, 30],
      ['site_connector-actions-topic', 12, 2],
    ],
  );
});

test('dead letters may be larger than what they hold, events of a site have any outline and notes, everything else is at most one mebibyte', (t) => {
  const large = new Set<string>([topics.deadLetters.name, topics.siteEvents.name]);
  for (const { name, maxRecordBytes } of all) t.is(maxRecordBytes, (large.has(name) ? 4 : 1) * 1_048_576, name);
});

test('each names the form of its key, the schema of its value and its contents', (t) => {
  for (const { name, key, value, description } of all) {
    t.true(key.length > 0, name);
    t.regex(value, /^[A-Z][A-Za-z]+$/, name);
    t.true(description.length > 0 && !description.includes('\n') && !description.includes('|'), name);
  }
});

test('events, parked events and emergencies keep their order per source; one process has a source in the first two', (t) => {
  t.is(topics.sourceEvents.key, '<integration_id>:<source>');
  t.is(topics.sourceEventsParked.key, topics.sourceEvents.key);
  t.is(topics.sourceEventsParked.partitions, topics.sourceEvents.partitions);
  t.is(topics.emergencies.key, topics.sourceEvents.key);
});
