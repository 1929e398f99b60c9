import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import test from 'ava';
import { rolldown } from 'rolldown';
import { isPure, lazyBuiltins } from './plugins.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

/** Bundles a main file and what it loads on demand, and runs it with these arguments. */
const runBundled = async (t, main, ...args) => {
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, 'later.mjs'),
    `import os, { EOL } from 'node:os'; import * as net from 'net'; export const said = [typeof os.cpus, EOL.length, typeof net.connect].join();`,
  );
  writeFileSync(join(folder, 'main.mjs'), main);
  const build = await rolldown({ input: join(folder, 'main.mjs'), platform: 'node', plugins: [lazyBuiltins()] });
  const file = join(folder, 'out.mjs');
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' }).trim();
};

const main = `
const before = process.moduleLoadList.includes('NativeModule net');
if (process.argv[2] === 'later') console.log((await import('./later.mjs')).said);
else console.log(before);`;

test('what comes with Node is loaded by the module that imports it, in every form of import', async (t) => {
  t.is(await runBundled(t, main, 'later'), 'function,1,function');
});

test('what comes with Node is not loaded at the start of a call that does not need it', async (t) => {
  t.is(await runBundled(t, main), 'false');
});

test('sources of the workspace do nothing but define, entries apart', (t) => {
  t.true(isPure('/w/', '/w/libs/http/src/index.ts'));
  t.false(isPure('/w/', '/w/cli/sync-tool/src/main.ts'));
  t.false(isPure('/w/', '/w/node_modules/got/index.js'));
  t.false(isPure('/w/', '/elsewhere/libs/http/src/index.ts'));
});
