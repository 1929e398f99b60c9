import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { recordPath } from './kubernetes-record/inputs.mjs';
import { temporaryFolder } from './test/temporary-folder.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = ['scripts/kubernetes-record.mjs', 'scripts/kubernetes-record', 'scripts/run'];
const person = ['-c', 'user.name=x', '-c', 'user.email=x@example'];

/** A repository of its own with the script and a few files, all committed. */
const repository = (t) => {
  const place = temporaryFolder(t);
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args) =>
    execFileSync('git', [...person, ...args], { cwd: place, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  const write = (path, text) => {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  const commit = (...args) => {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Change', ...args);
    return git('rev-parse', 'HEAD');
  };
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(place, programs[0]), ...args], {
      env,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, err: stderr };
  };
  for (const path of programs) cpSync(join(root, path), join(place, path), { recursive: true });
  for (const path of [
    'charts/relay/values.yaml',
    'libs/a/src/a.ts',
    'libs/a/src/a.test.ts',
    'docs/a.md',
    'e2e/kubernetes/a.ts',
  ])
    write(path, 'one\n');
  write('.gitignore', 'dist/\n');
  git('init', '--quiet');
  return { place, git, write, commit, run, head: commit() };
};

/** One whose present inputs are recorded as green. */
const recorded = (t) => {
  const repo = repository(t);
  t.is(repo.run('record').code, 0);
  return repo;
};

const unchangedSince = (commit) =>
  `nothing they depend on has changed since their green run at commit ${commit}; KUBERNETES=1 .ci/run runs them\n`;

test('with the inputs of the last green run the suites are left out, and a line names its commit', (t) => {
  const { run, head, commit } = recorded(t);
  t.deepEqual(run('unchanged'), { code: 0, out: unchangedSince(head), err: '' });
  commit();
  t.deepEqual(run('unchanged'), { code: 0, out: unchangedSince(head), err: '' });
});

test('a commit of the same content changes nothing, even when the recorded one is gone', (t) => {
  const { run, head, git, commit } = recorded(t);
  const other = commit('--amend');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '--quiet', '--prune=now');
  t.not(other, head);
  t.throws(() => git('cat-file', '-e', `${head}^{commit}`));
  t.is(run('unchanged').out, unchangedSince(head));
});

for (const [what, change] of [
  ['a changed chart', ({ write }) => write('charts/relay/values.yaml', 'two\n')],
  ['a new file', ({ write }) => write('a-new-folder/a', 'one\n')],
  ['a deleted file', ({ place }) => rmSync(join(place, 'libs/a/src/a.ts'))],
  ['a file that becomes executable', ({ place }) => chmodSync(join(place, 'libs/a/src/a.ts'), 0o755)],
]) {
  test(`${what} runs the suites, whether it is committed or not`, (t) => {
    const repo = recorded(t);
    change(repo);
    const outcomes = ['uncommitted', 'staged', 'committed'].map((stage) => {
      if (stage === 'staged') repo.git('add', '--all');
      if (stage === 'committed') repo.commit();
      return repo.run('unchanged');
    });
    const err = `what the Kubernetes suites depend on has changed since their green run at commit ${repo.head}\n`;
    for (const outcome of outcomes) t.deepEqual(outcome, { code: 1, out: '', err });
  });
}

test('a changed document, a changed unit test and what git ignores leave them out', (t) => {
  const { run, write, head, commit } = recorded(t);
  for (const path of ['docs/a.md', 'libs/a/src/a.test.ts', 'libs/a/dist/a.js']) write(path, 'two\n');
  t.is(run('unchanged').out, unchangedSince(head));
  commit();
  t.is(run('unchanged').out, unchangedSince(head));
});

test('a change that is taken back leaves them out again', (t) => {
  const { run, write, head } = recorded(t);
  write('charts/relay/values.yaml', 'two\n');
  t.is(run('unchanged').code, 1);
  write('charts/relay/values.yaml', 'one\n');
  t.is(run('unchanged').out, unchangedSince(head));
});

test('without a record that can be read the suites run', (t) => {
  const { run, write } = repository(t);
  t.deepEqual(run('unchanged'), {
    code: 1,
    out: '',
    err: `${recordPath} is missing: no green run of the Kubernetes suites is recorded\n`,
  });
  for (const text of ['', 'null', '{}', '{"commit":"a"}', '<<<<<<< one\n{}\n']) {
    write(recordPath, text);
    const { code, out, err } = run('unchanged');
    t.deepEqual([code, out], [1, '']);
    t.regex(err, /cannot be read/, text);
  }
});

test('where git cannot list the inputs the suites run, and nothing is recorded', (t) => {
  const { place, run } = recorded(t);
  rmSync(join(place, '.git'), { recursive: true });
  t.like(run('unchanged'), { code: 1, out: '' });
  t.is(run('record').code, 1);
});

test('the record holds the commit and the hash of the inputs, and marks inputs that the commit lacks', (t) => {
  const { place, run, write, head } = repository(t);
  const read = () => JSON.parse(readFileSync(join(place, recordPath), 'utf8'));
  write('docs/a.md', 'two\n');
  t.true(run('record').out.includes(`records the green run at commit ${head}; commit this file`));
  t.deepEqual(read(), { commit: head, inputs: run('inputs').out.trim() });
  write('charts/relay/new.yaml', 'two\n');
  run('record');
  t.deepEqual(read(), { commit: `${head}-dirty`, inputs: run('inputs').out.trim() });
});

test('inputs that changed while the suites ran are not recorded', (t) => {
  const { run, write } = repository(t);
  const began = run('inputs').out.trim();
  write('charts/relay/values.yaml', 'two\n');
  const refused = run('record', began);
  t.is(refused.code, 1);
  t.regex(refused.err, /changed while they ran/);
  t.regex(run('unchanged').err, /is missing/);
  t.is(run('record', run('inputs').out.trim()).code, 0);
});
