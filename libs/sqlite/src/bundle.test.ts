import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { rolldown } from 'rolldown';
import { temporaryPath } from './test/folder.ts';

const here = dirname(fileURLToPath(import.meta.url));

const bundle = async (folder: string): Promise<void> => {
  const entry = join(here, 'open-sqlite.ts');
  const build = await rolldown({
    input: { 'open-sqlite': entry, 'sqlite-worker': join(here, 'sqlite-worker.ts') },
    platform: 'node',
    resolve: { conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'] },
  });
  await build.write({ dir: folder, format: 'esm' });
  await build.close();
};

const runs = async (t: ExecutionContext, script: string): Promise<string> => {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  t.is(code, 0);
  return printed.trim();
};

test('bundled, the worker is found beside the bundle, and a closed file lets the process end', async (t) => {
  const path = await temporaryPath(t);
  const folder = dirname(path);
  await bundle(folder);
  const script = join(folder, 'main.mjs');
  await writeFile(
    script,
    `import { openSqlite } from './open-sqlite.js';
     const clock = { now: Date.now, monotonic: () => performance.now(), after: (ms, task) => { const h = setTimeout(task, ms); h.unref(); return { cancel: () => clearTimeout(h) }; } };
     const file = await openSqlite({ path: ${JSON.stringify(path)}, schema: ['CREATE TABLE t (a)'], clock });
     await file.write([{ sql: 'INSERT INTO t VALUES (?)', params: [[42]] }]);
     console.log((await file.read('SELECT a FROM t'))[0].a);
     await file.close();`,
  );
  t.is(await runs(t, script), '42');
});
