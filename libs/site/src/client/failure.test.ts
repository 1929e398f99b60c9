import test from 'ava';
import { reasonOf } from './failure.ts';

const of = (body: unknown): string =>
  reasonOf({ excerpt: () => (typeof body === 'string' ? body : JSON.stringify(body)) });

const status = { code: 400, message: 'Bad Request' };

test('a refused field is named with what is wrong with it', (t) => {
  t.is(of({ value: ['This field is required.'], status }), 'value: This field is required.');
  t.is(of({ a: ['one', 'two'], b: 'three', status }), 'a: one two; b: three');
});

test('a refused array names the place in it', (t) => {
  t.is(of({ data: [{ id: ['Subjects do not exist.'] }, {}], status }), '0.id: Subjects do not exist.');
});

test('without members the detail of the status speaks, else its message', (t) => {
  t.is(of({ status: { code: 500, message: 'Error', detail: 'value too long' } }), 'value too long');
  t.is(of({ status }), 'Bad Request');
});

test('what is no JSON is shown by its beginning, and nothing as nothing', (t) => {
  t.is(of('<html>oops'), '<html>oops');
  t.is(of(''), 'without a word');
});

test('a reason is short, whatever the site writes', (t) => {
  t.true(of({ a: ['x'.repeat(5_000)] }).length <= 300);
  t.true(of(Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, ['no']]))).split(';').length <= 5);
});
