// An image that holds one static program: node scripts/run.mjs program-image PROGRAM REFERENCE USER:GROUP OUT.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { writeArchive } from './images/archive.mjs';
import { storeBlob } from './images/blobs.mjs';
import { fileContent } from './images/content.mjs';
import { platformOf } from './images/node-package.mjs';
import { documentsOf } from './images/oci.mjs';
import { tarOf } from './images/tar.mjs';

const [program, reference, user, out] = process.argv.slice(2);
if (program === undefined || reference === undefined || user === undefined || out === undefined)
  throw new Error('say which: node scripts/run.mjs program-image PROGRAM REFERENCE USER:GROUP OUT');

const name = basename(program);
const work = await mkdtemp(join(tmpdir(), 'program-image-'));
try {
  const blob = await storeBlob(work, tarOf([{ path: name, mode: 0o755, content: fileContent(program) }]), name);
  const about = { reference, architecture: platformOf(process.arch), created: '1970-01-01T00:00:00Z' };
  const documents = documentsOf({ ...about, user, folder: '/', entrypoint: [`/${name}`] }, [{ of: name, blob }]);
  await writeArchive(out, reference, documents, [blob]);
} finally {
  await rm(work, { recursive: true, force: true });
}
