import test from 'ava';
import { commandTopics } from './env.ts';

const topicsOf = (pusher: string, runner: string) =>
  commandTopics({ PUSHER_TYPE_SLUG: pusher, RUNNER_TYPE_SLUG: runner });
const names = (pusher: string, runner: string): string[] => topicsOf(pusher, runner).map(({ name }) => name);

const usersOf = (pusher: string, runner: string) => topicsOf(pusher, runner).map(({ consumers }) => consumers);

test('each integration type has its own topic of commands, and one type shared by both has one', (t) => {
  t.deepEqual(names('devices', 'sites'), ['devices-actions-topic', 'sites-actions-topic']);
  t.deepEqual(names('both', 'both'), ['both-actions-topic']);
});

test('commands of a type are for the services of that type alone', (t) => {
  t.deepEqual(usersOf('devices', 'sites'), [['message-pusher'], ['action-runner']]);
  t.deepEqual(usersOf('both', 'both'), [['message-pusher', 'action-runner']]);
});
