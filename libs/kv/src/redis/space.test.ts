import test from 'ava';
import { patternOf } from './space.ts';

test('every character with a meaning in patterns is taken literally', (t) => {
  t.is(patternOf('a*?[b]\\'), 'a\\*\\?\\[b\\]\\\\*');
  t.is(patternOf(''), '*');
});
