import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { writeList } from './make.mjs';

test('the list keeps what an earlier call made, and has the newest of each image', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'image-list-'));
  t.teardown(() => rmSync(out, { recursive: true, force: true }));
  await writeList(out, [
    { name: 'sync-tool', digest: 'old' },
    { name: 'ranger-relay', digest: 'first' },
  ]);
  await writeList(out, [{ name: 'sync-tool', digest: 'new' }]);
  t.deepEqual(JSON.parse(readFileSync(join(out, 'images.json'), 'utf8')), {
    images: [
      { name: 'ranger-relay', digest: 'first' },
      { name: 'sync-tool', digest: 'new' },
    ],
  });
});
