// Reads, hashes and parses the files of a bundle and does nothing else with them.
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
};

const newline = 10;
let records = 0;

/** Parses the whole lines of a piece and gives back what is left of it. */
const takeLines = (piece: Buffer): Buffer => {
  let start = 0;
  for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
    JSON.parse(piece.toString('utf8', start, end));
    records += 1;
    start = end + 1;
  }
  return piece.subarray(start);
};

for (const { path, sha256 } of files) {
  const hash = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(join(folder, path), { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    rest = takeLines(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
  }
  if (hash.digest('hex') !== sha256) throw new Error(`${path} is not what the manifest says`);
}
process.stdout.write(`${records}\n`);
