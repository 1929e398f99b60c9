import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import test from 'ava';
import { rolldown } from 'rolldown';
import { http1Only } from './plugins.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

test('HTTP/2 is left out of a bundle, and whoever asked for it would be told', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, 'main.mjs'),
    `import wrapper from 'http2-wrapper';
let said = '';
try { wrapper.auto(); } catch (error) { said = error.message; }
console.log(said, process.moduleLoadList.includes('NativeModule http2'));`,
  );
  const build = await rolldown({ input: join(folder, 'main.mjs'), platform: 'node', plugins: [http1Only()] });
  const file = join(folder, 'out.mjs');
  await build.write({ file, format: 'esm' });
  await build.close();
  t.is(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim(), 'this program speaks HTTP/1.1 alone false');
});
