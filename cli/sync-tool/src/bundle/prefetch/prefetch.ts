import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { FileFacts } from '../files/read-lines.ts';
import type { PartUsage } from '../patrols/usage-reader.ts';

/** A file of a bundle. */
export interface AheadFile {
  /** The real path of the bundle, and the file's path in it. */
  readonly root: string;
  readonly path: string;
}

/** What a thread reads: the patrols of a file from the beginning of a line on. */
export interface AheadTask extends AheadFile {
  readonly from: number;
  /** About how many patrols there are from there on. */
  readonly expected: number;
  /** A canonical name. */
  readonly zone: string;
  /** Uuids of stations, transports, mandates and employees, in the order in which `PartUsage` has their uses. */
  readonly known: readonly (readonly string[])[];
  /** Keys of patrol classes. */
  readonly classes: readonly string[];
}

/** A warning; its line counts from the place where reading began. */
export interface AheadWarning {
  readonly kind: string;
  readonly line: number;
  readonly text: string;
}

/** Size and hash of a file that was as `WatchedFile.identity` says. */
export interface AheadFacts extends FileFacts {
  readonly identity: string;
}

/** What patrols use that were read ahead. */
export interface AheadResult {
  readonly records: number;
  readonly usage: PartUsage;
  readonly warnings: readonly AheadWarning[];
}

/** What a thread is asked for; each order has one answer. */
export type AheadOrder =
  { readonly kind: 'hash'; readonly file: AheadFile } | { readonly kind: 'read'; readonly task: AheadTask };

/** Since then the engine has a lighter compiler below its heaviest one. */
const firstWithLight = 22;

/**
 * Leaves out the engine's heaviest compiler from now on, in all threads: beside two threads that read it has no core of its own, and takes
 * more of theirs than its code gives back in the seconds that a run has.
 */
const compileLightly = (): void => {
  if (Number(process.versions.node.split('.')[0]) >= firstWithLight) setFlagsFromString('--no-turbofan');
};

/** A thread that reads ahead. What it answers is null when it cannot be used for whatever reason. */
export interface Ahead {
  /** Size and hash of a whole file. */
  hash(file: AheadFile): Promise<AheadFacts | null>;
  /** Reads one part of a file. */
  read(task: AheadTask): Promise<AheadResult | null>;
  close(): Promise<void>;
}

/** Begins with a file whose compiled code is kept: a thread asks for that itself, and compiling takes half of its start. */
const withCompiled = (url: string): string =>
  `data:text/javascript,import m from 'node:module';m.enableCompileCache?.();await import(${JSON.stringify(url)})`;

// Unbuilt the thread has a file of its own; bundled it is the same file, which finds itself in a thread.
const workerUrl = import.meta.url.endsWith('.ts')
  ? new URL('./prefetch-worker.ts', import.meta.url)
  : new URL(withCompiled(import.meta.url));

/** Starts a thread, which is ready in the time that the small files take. */
export const startAhead = (): Ahead => {
  compileLightly();
  const worker = new Worker(workerUrl);
  const waiting: ((answer: unknown) => void)[] = [];
  let isGone = false;
  const gone = (): void => {
    isGone = true;
    for (const resolve of waiting.splice(0)) resolve(null);
  };
  worker.on('message', (answer) => waiting.shift()?.(answer));
  worker.once('error', gone);
  worker.once('exit', gone);

  const ask = (order: AheadOrder): Promise<unknown> =>
    new Promise((resolve) => {
      if (isGone) return resolve(null);
      waiting.push(resolve);
      worker.postMessage(order, []);
    });

  return {
    hash: (file) => ask({ kind: 'hash', file }) as Promise<AheadFacts | null>,
    read: (task) => ask({ kind: 'read', task }) as Promise<AheadResult | null>,
    async close() {
      await worker.terminate();
    },
  };
};
