import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { isAlive } from './run/lock.mjs';
import { temporaryFolder } from './test/temporary-folder.mjs';

const script = fileURLToPath(new URL('../.ci/run', import.meta.url));

/** Runs `.ci/run` with an npm that does as told: the shell lines of each script. */
const ci = async (
  t,
  {
    verify = 'true',
    prepare = 'true',
    test: tests,
    e2e,
    kubernetes,
    alone = good(1),
    timed = good(1),
    world = good(1),
    build = 'true',
    scanners = 'true',
    unchanged = 'exit 1',
    env = {},
  },
) => {
  const place = temporaryFolder(t);
  const cases = Object.entries({
    verify,
    test: tests,
    e2e,
    'e2e:prepare': prepare,
    'e2e:timed': timed,
    world,
    'e2e:kubernetes': kubernetes ?? 'exit 1',
    'e2e:kubernetes:alone': alone,
    'kubernetes:can-run': kubernetes === undefined ? 'echo "no namespaces here"; exit 1' : 'true',
    'kubernetes:build': build,
    'kubernetes:scanners': scanners,
    'kubernetes:unchanged': unchanged,
    'kubernetes:inputs': 'echo hash',
    'kubernetes:record': 'echo "recorded: $4"',
  }).map(([name, lines]) => `${name}) ${lines} ;;`);
  writeFileSync(
    join(place, 'npm'),
    `#!/bin/sh\necho "$3 CI=$CI" >> "${place}/calls"\ncase "$3" in\n${cases.join('\n')}\nesac\n`,
  );
  chmodSync(join(place, 'npm'), 0o755);
  const child = spawn('bash', [script], {
    env: { PATH: `${place}${delimiter}${process.env.PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.on('data', (text) => (out += text));
  const [code] = await once(child, 'close');
  const calls = readFileSync(join(place, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .filter((line) => !/^kubernetes:(build|scanners) /.test(line));
  const pidFile = join(place, 'npm.build');
  const built = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : undefined;
  return { built, code, last: out.trimEnd().split('\n').at(-1), calls, out };
};

const good = (passed) => `echo "${passed} passed, 0 failed"`;

test('verifies, runs the suites in order, and prints the true sums last', async (t) => {
  const { code, last, calls, out } = await ci(t, { test: `echo noise; ${good(40)}`, e2e: good(2) });
  t.deepEqual([code, last], [0, '44 passed, 0 failed']);
  t.deepEqual(calls, [
    'kubernetes:can-run CI=true',
    'verify CI=true',
    'test CI=true',
    'world CI=true',
    'e2e:prepare CI=true',
    'e2e CI=true',
    'e2e:timed CI=true',
  ]);
  t.regex(out, /^verify \d+ s, test \d+ s, world \d+ s, e2e:prepare \d+ s, e2e \d+ s, e2e:timed \d+ s$/m);
  t.regex(out, /^left out: no namespaces here$/m);
});

test('scenarios run the bundles', async (t) => {
  const { out } = await ci(t, { test: good(40), e2e: `echo "they run the $PRODUCT_FORM"; ${good(2)}` });
  t.regex(out, /^they run the bundle$/m);
});

test('where Kubernetes can run, its scenarios count like the others', async (t) => {
  const steps = { test: good(40), e2e: good(2) };
  const passed = await ci(t, { ...steps, kubernetes: good(4) });
  t.deepEqual([passed.code, passed.last], [0, '49 passed, 0 failed']);
  t.deepEqual(
    passed.calls.filter((call) => call.startsWith('e2e:kubernetes')),
    ['e2e:kubernetes CI=true', 'e2e:kubernetes:alone CI=true'],
  );
  t.false(passed.out.includes('left out'));
  const failed = await ci(t, { ...steps, kubernetes: 'echo "4 passed, 1 failed"; exit 1' });
  t.deepEqual([failed.code, failed.last], [1, '49 passed, 1 failed']);
  const dead = await ci(t, { ...steps, kubernetes: 'exit 1' });
  t.deepEqual([dead.code, dead.last], [1, '45 passed, 1 failed']);
  const broken = await ci(t, { ...steps, kubernetes: good(4), alone: 'echo "1 passed, 2 failed"; exit 1' });
  t.deepEqual([broken.code, broken.last], [1, '49 passed, 2 failed']);
});

test('the scenarios on Kubernetes are left out where that is asked for, and where the machine cannot run them', async (t) => {
  const steps = { test: good(40), e2e: good(2), kubernetes: good(4) };
  const unwanted = await ci(t, { ...steps, env: { KUBERNETES: '0' } });
  t.deepEqual([unwanted.code, unwanted.last], [0, '44 passed, 0 failed']);
  t.regex(unwanted.out, /^left out: KUBERNETES=0 asks for it$/m);
  const unable = await ci(t, { ...steps, kubernetes: undefined });
  t.deepEqual([unable.code, unable.last], [0, '44 passed, 0 failed']);
  t.regex(unable.out, /^left out: no namespaces here$/m);
});

const wholeRun = { test: good(40), e2e: good(2), kubernetes: good(4) };

test('the scenarios on Kubernetes are left out, uncounted, when nothing they depend on has changed', async (t) => {
  const unchanged = 'echo "nothing has changed since commit abc"';
  const { code, last, out, calls } = await ci(t, { ...wholeRun, kubernetes: 'exit 1', alone: 'exit 1', unchanged });
  t.deepEqual([code, last], [0, '44 passed, 0 failed']);
  t.regex(out, /^== e2e:kubernetes\nleft out: nothing has changed since commit abc$/m);
  t.false(calls.some((call) => call.startsWith('e2e:kubernetes')));
  t.false(out.includes('recorded'));
});

test('KUBERNETES=1 runs them although nothing has changed, and so does a question that fails', async (t) => {
  const asked = await ci(t, { ...wholeRun, unchanged: 'echo "nothing has changed"', env: { KUBERNETES: '1' } });
  t.deepEqual([asked.code, asked.last], [0, '49 passed, 0 failed']);
  const failed = await ci(t, { ...wholeRun, unchanged: 'echo "nothing has"; exit 1' });
  t.deepEqual([failed.code, failed.last], [0, '49 passed, 0 failed']);
});

test('a run of both suites on Kubernetes is recorded with the inputs of its start, and only when both are green', async (t) => {
  const recordedBy = async (steps) => (await ci(t, { ...wholeRun, ...steps })).out.match(/^recorded: .*$/m)?.[0];
  t.is(await recordedBy({}), 'recorded: hash');
  t.is(await recordedBy({ e2e: 'echo "1 passed, 1 failed"; exit 1' }), 'recorded: hash');
  t.is(await recordedBy({ kubernetes: 'echo "4 passed, 1 failed"; exit 1' }), undefined);
  t.is(await recordedBy({ kubernetes: `${good(4)}; exit 1` }), undefined);
  t.is(await recordedBy({ alone: good(0) }), undefined);
  t.is(await recordedBy({ env: { BUILD_MINUTES: '0' }, build: 'exec sleep 60' }), undefined);
});

test('a build of Kubernetes that takes too long leaves its scenarios out, and says so', async (t) => {
  const late = { build: 'echo $$ > "$0.build"; exec sleep 60', env: { BUILD_MINUTES: '0' } };
  const { code, last, out, built } = await ci(t, { test: good(40), e2e: good(2), kubernetes: good(4), ...late });
  t.deepEqual([code, last], [0, '44 passed, 0 failed']);
  t.regex(out, /^left out: building Kubernetes takes too long/m);
  for (let n = 0; n < 200 && isAlive(built); n += 1) await pass(50);
  t.false(isAlive(built));
});

test('scenarios on Kubernetes begin before what only some of them need is built', async (t) => {
  const meanwhile = { scanners: 'until grep -q e2e:kubernetes:alone "${0%/*}/calls"; do sleep 0.1; done' };
  const { code, last } = await ci(t, { test: good(40), e2e: good(2), kubernetes: good(4), ...meanwhile });
  t.deepEqual([code, last], [0, '49 passed, 0 failed']);
});

for (const [what, steps, last] of [
  ['a test failed', { test: 'echo "3 passed, 2 failed"; exit 1', e2e: good(2) }, '7 passed, 2 failed'],
  ['a scenario failed', { test: good(3), e2e: 'echo "0 passed, 1 failed"; exit 1' }, '5 passed, 1 failed'],
  [
    'both failed',
    { test: 'echo "1 passed, 1 failed"; exit 1', e2e: 'echo "1 passed, 2 failed"; exit 1' },
    '4 passed, 3 failed',
  ],
  ['nothing ran', { test: 'echo "0 passed, 0 failed"; exit 1', e2e: good(2) }, '4 passed, 1 failed'],
  ['nothing ran and nobody minded', { test: good(0), e2e: good(2) }, '4 passed, 1 failed'],
  ['a suite died without a word', { test: 'exit 137', e2e: good(2) }, '4 passed, 1 failed'],
  ['a suite said that all is well and failed', { test: `${good(4)}; exit 1`, e2e: good(2) }, '8 passed, 1 failed'],
  ['what the scenarios need cannot be had', { prepare: 'exit 1', test: good(3), e2e: good(2) }, '7 passed, 1 failed'],
  ['verify failed', { verify: 'exit 1', test: good(3), e2e: good(2) }, '7 passed, 1 failed'],
  ['a failure was followed by success', { test: 'echo "3 passed, 1 failed"', e2e: good(2) }, '7 passed, 1 failed'],
]) {
  test(`fails with true sums when ${what}`, async (t) => {
    const run = await ci(t, steps);
    t.deepEqual([run.code, run.last], [1, last]);
    t.is(run.calls.length, 7);
  });
}

test('skipped tests do not hide the line, and only a closing line of its own counts', async (t) => {
  const line = 'echo "say: 9 passed, 9 failed"; echo "3 passed, 0 failed, 1 skipped"';
  t.deepEqual((await ci(t, { test: line, e2e: good(2) })).last, '7 passed, 0 failed');
});

const failure = (title, lines) =>
  `printf '\\n✘ %s\\n' "${title}"; for i in $(seq ${lines}); do echo "    line $i"; done; echo; echo "1 passed, 1 failed"`;

test('what failed is told again at the end, whichever suite it was in, and cut when it is long', async (t) => {
  const { out } = await ci(t, { test: failure('a › b', 3), e2e: `${failure('c › d', 90)}; exit 1` });
  const end = out.slice(out.indexOf('== failed'));
  t.true(end.startsWith('== failed\n✘ a › b\n    line 1\n    line 2\n    line 3\n'), end);
  t.regex(end, /✘ c › d\n {4}line 1\n/);
  t.true(end.includes('    line 24\n') && !end.includes('    line 25\n'));
  t.false((await ci(t, { test: good(3), e2e: good(2) })).out.includes('== failed'));
});
