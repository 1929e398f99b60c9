import test from 'ava';
import { parseOptions } from './options.mjs';

const known = { names: ['ranger-relay', 'sync-tool'], arch: 'x64' };

test('without arguments both images of the machine’s architecture go to dist/images', (t) => {
  t.deepEqual(parseOptions([], known), {
    only: undefined,
    stage: undefined,
    out: 'dist/images',
    arch: 'x64',
    help: false,
  });
});

test('an architecture goes by either of its names', (t) => {
  for (const [name, arch] of [
    ['amd64', 'x64'],
    ['x64', 'x64'],
    ['arm64', 'arm64'],
  ])
    t.is(parseOptions(['--arch', name], known).arch, arch);
});

for (const [args, says] of [
  [['--only', 'operator'], /--only is operator; there are ranger-relay and sync-tool/],
  [['--arch', 'riscv64'], /--arch is riscv64; there are x64 \(amd64\) and arm64/],
  [['--ony', 'sync-tool'], /--ony/],
  [['sync-tool'], /sync-tool/],
])
  test(`is refused by name: ${args.join(' ')}`, (t) => {
    t.throws(() => parseOptions(args, known), { message: says });
  });
