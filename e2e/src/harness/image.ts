import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const call = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Entry of an image in `images.json`. */
export interface ListedImage {
  readonly name: string;
  readonly reference: string;
  readonly file: string;
  readonly digest: string;
  readonly size: number;
  readonly layers: readonly { readonly of: string; readonly digest: string; readonly size: number }[];
}

/** Runs `scripts/images.mjs` in a folder that is not the checkout's; resolves with its exit code and what it printed. */
export const callImages = async (
  args: readonly string[],
  {
    cwd,
    env,
    umask = '022',
  }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly umask?: string },
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> => {
  const script = join(root, 'scripts/images.mjs');
  const options = { cwd, env: { ...process.env, ...env } };
  const command = ['-c', 'umask "$0" && exec "$@"', umask, process.execPath, script, ...args];
  return await call('/bin/sh', command, options).then(
    (printed) => ({ code: 0, ...printed }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
};

/** The images that such a call made in a folder. */
export const listedIn = (folder: string): readonly ListedImage[] =>
  (JSON.parse(readFileSync(join(folder, 'images.json'), 'utf8')) as { images: ListedImage[] }).images;

/** An archive as a runtime lays it out. */
export interface Unpacked {
  /** Folder that becomes `/`. */
  readonly root: string;
  /** `config` of the image. */
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir: string;
  };
  /** Paths and hashes of the blobs, as they are and as they are named. */
  readonly blobs: readonly { readonly named: string; readonly is: string }[];
}

interface Described {
  readonly digest: string;
}

const json = (path: string): never => JSON.parse(readFileSync(path, 'utf8')) as never;

/** Unpacks an archive with the machine's own `tar`, layer on layer, into a new folder. */
export const unpackImage = async (archive: string, folder: string): Promise<Unpacked> => {
  const layout = join(folder, 'layout');
  const place = join(folder, 'root');
  for (const each of [layout, place, join(place, 'proc'), join(place, 'dev')]) mkdirSync(each, { recursive: true });
  await call('tar', ['-xf', archive, '-C', layout]);
  const blob = ({ digest }: Described): string => join(layout, 'blobs', digest.replace(':', '/'));
  const { manifests }: { manifests: [Described] } = json(join(layout, 'index.json'));
  const manifest: { config: Described; layers: Described[] } = json(blob(manifests[0]));
  for (const layer of manifest.layers) await call('tar', ['-xpf', blob(layer), '-C', place]);
  const { config }: Pick<Unpacked, 'config'> = json(blob(manifest.config));
  const blobs = [manifests[0], manifest.config, ...manifest.layers].map(({ digest }) => ({
    named: digest,
    is: `sha256:${createHash('sha256')
      .update(readFileSync(blob({ digest })))
      .digest('hex')}`,
  }));
  return { root: place, config, blobs };
};

/** The images, made for one file of scenarios. */
export interface MadeImages {
  /** A folder to work in; `first` in it holds the archives. */
  readonly folder: string;
  readonly out: string;
  image(name: string): Unpacked;
  remove(): void;
}

/** Makes both images and unpacks them. */
export const makeImages = async (): Promise<MadeImages> => {
  const folder = mkdtempSync(join(tmpdir(), 'images-e2e-'));
  const out = join(folder, 'first');
  const { code, stderr } = await callImages(['--out', out], { cwd: folder });
  if (code !== 0) throw new Error(stderr);
  const unpacked = new Map<string, Unpacked>();
  for (const { name, file } of listedIn(out))
    unpacked.set(name, await unpackImage(join(out, file), join(folder, name)));
  return {
    folder,
    out,
    image: (name) => unpacked.get(name)!,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
