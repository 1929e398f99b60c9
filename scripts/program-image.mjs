// An image that holds one static program: node scripts/run.mjs program-image PROGRAM REFERENCE USER:GROUP OUT.
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { platformOf } from './images/node-package.mjs';
import { packImage, packLayer } from './images/pack.mjs';

const [program, reference, user, out] = process.argv.slice(2);
if (program === undefined || reference === undefined || user === undefined || out === undefined)
  throw new Error('say which: node scripts/run.mjs program-image PROGRAM REFERENCE USER:GROUP OUT');

const name = basename(program);
const work = await mkdtemp(join(tmpdir(), 'program-image-'));
try {
  const folder = join(work, 'root');
  await mkdir(folder);
  await copyFile(program, join(folder, name));
  await chmod(join(folder, name), 0o755);
  const about = { reference, architecture: platformOf(process.arch), created: '1970-01-01T00:00:00Z' };
  const spec = { ...about, user, folder: '/', entrypoint: [`/${name}`] };
  await packImage(work, out, spec, [await packLayer(work, name, [{ folder }])]);
} finally {
  await rm(work, { recursive: true, force: true });
}
