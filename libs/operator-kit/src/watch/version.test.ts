import test from 'ava';
import { isNewer } from './version.ts';

test('counts are compared as numbers of any length', (t) => {
  t.true(isNewer('10', '9'));
  t.false(isNewer('9', '10'));
  t.false(isNewer('10', '10'));
  t.true(isNewer('90071992547409930', '90071992547409929'));
});

test('what is no count cannot be compared', (t) => {
  for (const odd of ['', '0', '01', 'x1', '-1', '1.5', '9'.repeat(40)]) {
    t.is(isNewer(odd, '5'), undefined, odd);
    t.is(isNewer('5', odd), undefined, odd);
  }
});
