import test from 'ava';
import { leakIn, refuseLeaks } from './app.mjs';

const paths = ['/srv/checkout', '/home/maker'];

for (const [what, text, leak] of [
  ['a path of the checkout', `const at = "/srv/checkout/libs/x.ts";`, '/srv/checkout'],
  ['a path of the home', `// /home/maker/.npm`, '/home/maker'],
  ['an address in the checkout', `import "file:///srv/checkout/x.mjs"`, '/srv/checkout'],
  ['a source map beside it', `x();\n//# sourceMappingURL=x.js.map`, '//# sourceMappingURL=x.js.map'.slice(1)],
])
  test(`is a leak: ${what}`, (t) => {
    t.is(leakIn(text, paths), leak);
    t.throws(
      () =>
        refuseLeaks(
          [
            { path: 'ok', text: '' },
            { path: 'x.mjs', text },
          ],
          paths,
        ),
      {
        message: /^x\.mjs tells of the machine/,
      },
    );
  });

test('is none: a path of which the checkout’s is a part', (t) => {
  t.is(leakIn('// libs/bus/src/x.ts, /srv/checkouts, ../src/y.ts, /home/maker2', [...paths, '/src']), undefined);
});

test('is none: paths of the image, and a program that only speaks of source maps', (t) => {
  t.is(leakIn('/app/x.mjs "sourceMappingURL=" + name', paths), undefined);
  t.is(leakIn('anything', ['/']), undefined);
});
