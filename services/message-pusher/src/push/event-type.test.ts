import test from 'ava';
import { isPushMessage } from './event-type.ts';

const rows: readonly (readonly [type: unknown, wanted: string, is: boolean])[] = [
  ['MessageTransformed', 'MessageTransformed*', true],
  ['MessageTransformedInReach', 'MessageTransformed*', true],
  ['MessageTransformedInReach', 'MessageTransformedInReach', true],
  ['MessageTransformedInReach', 'MessageTransformed', false],
  ['EventTransformed', 'MessageTransformed*', false],
  ['messageTransformed', 'MessageTransformed*', false],
  ['Anything', '*', true],
  ['', '*', true],
  [undefined, '*', false],
  [5, '*', false],
];
for (const [event_type, wanted, is] of rows)
  test(`${JSON.stringify(event_type)} is ${is ? '' : 'not '}chosen by ${wanted}`, (t) => {
    t.is(isPushMessage({ data: { event_type } }, wanted), is);
  });

test('data that is no object is no message', (t) => {
  for (const data of [null, undefined, 'x', 5, []]) t.false(isPushMessage({ data }, '*'));
});
