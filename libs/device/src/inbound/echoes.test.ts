import { fc, testProp } from '@fast-check/ava';
import { mask } from '@ranger-relay/runtime';
import test from 'ava';
import { withoutEchoes } from './echoes.ts';

test('a secret is masked wherever it stands, once for each place', (t) => {
  t.is(withoutEchoes('no "pass word" here, pass word there', ['pass word']), `no "${mask}" here, ${mask} there`);
});

test('a part of a longer secret is masked too', (t) => {
  const secret = 'Meet the team at the northern gate';
  t.is(withoutEchoes('bad text: Meet the team at the…', [secret]), `bad text: ${mask}…`);
});

test('a secret is masked as JSON, HTML and one line show it', (t) => {
  const secret = 'a "b" <c> & \n d';
  for (const shown of [JSON.stringify(secret), 'a &quot;b&quot; &lt;c&gt; &amp; d', 'a "b" <c> & d'])
    t.notRegex(withoutEchoes(`x ${shown} x`, [secret]), /b.+c/, shown);
});

test('short secrets and other texts are left alone', (t) => {
  t.is(withoutEchoes('OK then', ['OK', '', 'somewhere else']), 'OK then');
});

testProp(
  'no secret of four characters or more is left in any text',
  [fc.string(), fc.string({ minLength: 4 }), fc.string()],
  (t, before, secret, after) => {
    const clean = withoutEchoes(before + secret + after, [secret]);
    t.true(secret.includes('*') || !clean.includes(secret));
  },
);
