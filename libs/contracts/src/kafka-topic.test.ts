import test from 'ava';
import { kafkaTopicSettings, minInsyncFor, topics } from './index.ts';

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
