import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chance } from './seeded-site.ts';

interface ManifestFile {
  readonly path: string;
  readonly sha256: string;
}

/** Puts the records of every file of a bundle into another order. */
export const shuffleBundle = (path: string, { next }: Chance): void => {
  const manifestPath = join(path, 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as { files: ManifestFile[] };
  const files = manifest.files.map((file) => {
    const lines = readFileSync(join(path, file.path), 'utf8').trimEnd().split('\n');
    const shuffled = lines
      .map((line) => ({ line, place: next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ line }) => `${line}\n`)
      .join('');
    const text = lines.length === 1 && lines[0] === '' ? '' : shuffled;
    writeFileSync(join(path, file.path), text);
    return { ...file, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
  });
  writeFileSync(manifestPath, JSON.stringify({ ...manifest, files }));
};
