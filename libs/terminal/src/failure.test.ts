import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { CommanderError } from 'commander';
import { endingOf } from './failure.ts';

test('a registered error is one sentence and what to check, with exit code 1', (t) => {
  const error = new RelayError('not_running', { details: { address: 'http://127.0.0.1:8080/status.json' } });
  t.deepEqual(endingOf(error), {
    code: 1,
    lines: [
      'Nothing answers at http://127.0.0.1:8080/status.json; start the system with `ranger-relay up`',
      'Check: The given address, and whether `up` is running there.',
    ],
  });
});

test('a wrong call ends with 2', (t) => {
  t.is(endingOf(new RelayError('usage', { details: { problem: 'no' } })).code, 2);
});

test('an unexpected error tells its cause', (t) => {
  const { code, lines } = endingOf(new TypeError('x is not a function'));
  t.is(code, 1);
  t.is(lines[0], 'An unexpected error occurred: x is not a function');
});

test('what is thrown without being an error still ends with 1', (t) => {
  t.is(endingOf('oops').code, 1);
});

test('what the parser of the call has said already is not said again', (t) => {
  t.deepEqual(endingOf(new CommanderError(1, 'commander.unknownOption', 'error: no')), { code: 2, lines: [] });
  t.deepEqual(endingOf(new CommanderError(0, 'commander.helpDisplayed', '')), { code: 0, lines: [] });
});

test('control characters in an error do not reach the terminal', (t) => {
  const error = new RelayError('usage', { details: { problem: 'bad \u001B[31m value' } });
  t.is(endingOf(error).lines[0], 'bad \\u{1b}[31m value');
});
