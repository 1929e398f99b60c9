import test from 'ava';
import { defaultRules, settingsOf } from './partition.ts';

const handle = async () => [];

test('what a consumer leaves out has the documented defaults', (t) => {
  t.deepEqual(settingsOf({ topic: 'topic', group: 'group', handle }), {
    topic: 'topic',
    group: 'group',
    handle,
    lane: null,
    from: 'recent',
    maybeSentAtTakeOver: 'announced',
    maxBatch: 500,
    maxBatchBytes: 4_194_304,
    maxAhead: null,
    maxRunning: null,
    maxThrows: 5,
    deadLetterKind: 'observation',
    deleteDone: false,
  });
});

test('bounds that would let nothing pass are lifted to one', (t) => {
  const settings = settingsOf({ topic: 't', group: 'g', handle, maxBatch: 0, maxBatchBytes: -1, maxThrows: 0 });
  t.like(settings, { maxBatch: 1, maxBatchBytes: 1, maxThrows: 1 });
});

test('a kind that the contract does not know is replaced', (t) => {
  t.is(settingsOf({ topic: 't', group: 'g', handle, deadLetterKind: 'gossip' }).deadLetterKind, 'observation');
  t.is(settingsOf({ topic: 't', group: 'g', handle, deadLetterKind: 'command' }).deadLetterKind, 'command');
});

test('a partition may run 50,000 records ahead of its slowest lane', (t) => {
  t.is(defaultRules.maxAhead, 50_000);
});
