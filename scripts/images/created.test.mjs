import { execFileSync } from 'node:child_process';
import test from 'ava';
import { createdAt } from './created.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

test('SOURCE_DATE_EPOCH is the time', async (t) => {
  t.is(await createdAt(temporaryFolder(t), { SOURCE_DATE_EPOCH: '1700000000' }), '2023-11-14T22:13:20Z');
});

for (const wrong of ['now', '-1', '1.5', '123456789012'])
  test(`is refused by its name: SOURCE_DATE_EPOCH=${wrong}`, async (t) => {
    await t.throwsAsync(createdAt('/', { SOURCE_DATE_EPOCH: wrong }), { message: /^SOURCE_DATE_EPOCH is/ });
  });

test('without it the time is that of the commit, so that two builds of one commit agree', async (t) => {
  const place = temporaryFolder(t);
  const git = (...args) =>
    execFileSync('git', ['-C', place, '-c', 'user.name=x', '-c', 'user.email=x@example', ...args], {
      env: { PATH: process.env.PATH, GIT_COMMITTER_DATE: '1600000000 +0300' },
    });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'x');
  t.is(await createdAt(place, {}), '2020-09-13T12:26:40Z');
});

test('without a commit it is 1970, never the present', async (t) => {
  t.is(await createdAt(temporaryFolder(t), { SOURCE_DATE_EPOCH: '' }), '1970-01-01T00:00:00Z');
});
