import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import test from 'ava';
import { isOpenElsewhere } from './open-elsewhere.ts';
import { insert, opened, temporaryPath } from './test/folder.ts';

const holder = `
  const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  db.exec('SELECT count(*) FROM words');
  console.log('open');
  process.stdin.resume();`;

test('another process that has the file open is seen, by no other file than this one, and nobody after it was killed', async (t) => {
  const path = await temporaryPath(t);
  t.false(isOpenElsewhere(path));
  t.false(existsSync(path), 'asking creates nothing');
  const file = await opened(t, { path });
  await file.write([insert('a')]);
  await file.close();
  t.false(isOpenElsewhere(path));
  const child = spawn(process.execPath, ['-e', holder, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  t.true(isOpenElsewhere(path));
  t.true(isOpenElsewhere(path), 'asking ends no lock');
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.false(isOpenElsewhere(path));
});
