import test from 'ava';
import { commandTopics } from './command-topics.ts';

const names = (pusher: string, runner: string): string[] =>
  commandTopics({ PUSHER_TYPE_SLUG: pusher, RUNNER_TYPE_SLUG: runner }).map(({ name }) => name);

test('each integration type has its own topic of commands, and one type shared by both has one', (t) => {
  t.deepEqual(names('devices', 'sites'), ['devices-actions-topic', 'sites-actions-topic']);
  t.deepEqual(names('both', 'both'), ['both-actions-topic']);
});
