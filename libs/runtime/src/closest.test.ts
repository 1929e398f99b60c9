import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { closestTo } from './closest.ts';

const words = ['tolerated', 'start_datetime', 'PLATFORM_API_BASE_URL', 'KV_HOST'];

test('the word with the fewest typing errors is found, and none where nothing is near', (t) => {
  t.is(closestTo('tolerted', words), 'tolerated');
  t.is(closestTo('start_dattime', words), 'start_datetime');
  t.is(closestTo('PLATFORM_API_BASEURL', words), 'PLATFORM_API_BASE_URL');
  t.is(closestTo('KV_HSOT', words), 'KV_HOST');
  t.is(closestTo('end_datetime', words), undefined);
  t.is(closestTo('KV', words), undefined);
});

testProp(
  'one changed, added or lost character never hides a word of some length',
  [fc.stringMatching(/^[a-z_]{6,30}$/), fc.nat(), fc.constantFrom('', 'x', 'xy')],
  (t, word, n, put) => {
    const at = n % word.length;
    const typed = `${word.slice(0, at)}${put}${word.slice(at + 1)}`;
    t.is(closestTo(typed, [word]), word);
  },
);
