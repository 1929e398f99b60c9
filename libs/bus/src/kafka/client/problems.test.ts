import { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createFailureTracker, isRetriable, isTopicRefused, problemOf, unavailable } from './problems.ts';

const harness = () => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const tracker = createFailureTracker(clock, log, 'worse', 'better');
  return { clock, tracker, said: () => lines.map(({ msg }) => msg) };
};

test('one line when the first of many fails, one when all are well', (t) => {
  const { tracker, said } = harness();
  for (let i = 0; i < 50; i += 1) {
    tracker.failed('a', 'no');
    tracker.failed('b', 'no');
    tracker.succeeded('a');
  }
  t.deepEqual(said(), ['worse']);
  t.deepEqual([...tracker.byTopic()], [['b', 'no']]);
  tracker.succeeded('b');
  t.deepEqual(said(), ['worse', 'better']);
  t.deepEqual([...tracker.byTopic()], []);
});

test('a failure that is not repeated is forgotten after a while, without a word', async (t) => {
  const { clock, tracker, said } = harness();
  tracker.failed('a', 'no');
  await clock.advance(3_499);
  t.is(tracker.byTopic().get('a'), 'no');
  await clock.advance(1);
  t.is(tracker.byTopic().get('a'), undefined);
  tracker.failed('a', 'no');
  t.deepEqual(said(), ['worse']);
  tracker.succeeded('a');
  t.deepEqual(said(), ['worse', 'better']);
});

const protocol = (type: string, retriable = false): Error =>
  Object.assign(new Error(`it is ${type}`), { type, retriable });
const wrapped = (cause: unknown): Error => new Error('tried 2 times', { cause: new Error('again', { cause }) });

test('the innermost error says what happened', (t) => {
  t.deepEqual(problemOf(wrapped(protocol('X'))), { type: 'X', message: 'it is X' });
  t.true(isRetriable(wrapped(protocol('X', true))));
  t.false(isRetriable(wrapped(protocol('X', false))));
});

const at = (message: string, broker: unknown): string =>
  problemOf(wrapped(Object.assign(new Error(message), { broker }))).message;

test('what is wrong with one broker names it once, before what to look at', (t) => {
  t.is(at('Connection timeout', 'kafka:9092'), 'Connection timeout (broker kafka:9092)');
  t.is(at('connect ECONNREFUSED 10.0.0.1:9092', '10.0.0.1:9092'), 'connect ECONNREFUSED 10.0.0.1:9092');
  t.regex(
    at('Closed connection', 'kafka:9092'),
    /^Closed connection \(broker kafka:9092\); if this persists, check KAFKA_TLS/,
  );
  for (const broker of [undefined, null, 5]) t.is(at('Connection timeout', broker), 'Connection timeout');
});

test('anything thrown can be read, also errors that are their own cause', (t) => {
  const circular = new Error('round');
  circular.cause = circular;
  t.is(problemOf(circular).message, 'round');
  for (const thrown of [undefined, null, 'text', 5, {}, []]) {
    t.is(problemOf(thrown).type, '');
    t.false(isRetriable(thrown));
    t.true(unavailable(thrown) instanceof RelayError);
  }
});

test('only the refusal of one topic is one', (t) => {
  for (const type of ['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED', 'INVALID_TOPIC_EXCEPTION'])
    t.true(isTopicRefused(wrapped(protocol(type))));
  t.false(isTopicRefused(protocol('LEADER_NOT_AVAILABLE', true)));
});

test('an error of the port stays what it is, others become one that can be tried again', (t) => {
  const known = new RelayError('bus_topic_unknown', { details: { topic: 't' } });
  t.is(unavailable(known), known);
  t.like(unavailable(wrapped(protocol('X')), true), { code: 'bus_unavailable', ambiguous: true });
});
