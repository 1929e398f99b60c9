import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { createChannel } from './channel.ts';
import type { SqliteFile, SqliteOptions, SqlRow } from './port.ts';
import type { Failure, FromWorker, OpenRequest, ToWorker } from './protocol.ts';

/** The remedy unless the caller names a better one. */
const defaultRemedy = 'restore it from a backup';

/** Converts a failure of the worker to a registered error. */
export const errorOf = ({ kind, problem }: Failure, path: string, remedy = defaultRemedy): RelayError => {
  const cause = new Error(problem);
  switch (kind) {
    case 'full':
      return new RelayError('store_full', { details: { path }, cause });
    case 'damaged':
      return new RelayError('store_damaged', { details: { path, problem, remedy }, cause });
    case 'missing':
    case 'unusable':
      return new RelayError('data_dir_unusable', {
        details: { path: dirname(path), problem: `${path}: ${problem}` },
        cause,
      });
    case 'other':
      return new RelayError('internal', { details: { path }, cause });
  }
};

// In the sources the worker is a TypeScript file beside this one; in a build or bundle it is `sqlite-worker.js` beside the output.
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js',
  import.meta.url,
);

const defaultDeadlineMs = 30_000;
const closeMs = 10_000;
const noRows: readonly SqlRow[] = Object.freeze([]);

const firstAnswer = (worker: Worker): Promise<FromWorker> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the store worker ended while it opened the file')));
  });

const startWorker = (request: OpenRequest): Worker => new Worker(workerUrl, { workerData: request, name: 'sqlite' });

interface Started {
  readonly worker: Worker;
  /** The pages of the file must be checked while it is used. */
  readonly unchecked: boolean;
}

const start = async ({ remedy, ...request }: SqliteOptions, make: typeof startWorker): Promise<Started> => {
  const worker = make(request);
  const answer = await firstAnswer(worker).catch((error: unknown) => {
    throw new RelayError('internal', { details: { path: request.path }, cause: error });
  });
  if (answer.kind === 'opened' && answer.failure) {
    await worker.terminate();
    throw errorOf(answer.failure, request.path, remedy);
  }
  return { worker, unchecked: answer.kind === 'opened' && answer.unchecked };
};

/** Options of `openSqlite`, with the clock of its deadlines; `make` starts the worker thread. */
export type OpenOptions = SqliteOptions & {
  readonly clock: Clock;
  readonly make?: typeof startWorker;
  /** Called once when the file becomes unusable without having been closed. */
  readonly onLost?: (error: RelayError) => void;
};

/**
 * Opens a file in a worker thread of its own; the owner creates it if it is missing. A large file is checked only when its last owner did not
 * close it, in another thread while it is used: then any call may throw `store_damaged`, and so does every later one, even after a restart.
 * @throws RelayError `store_damaged`, `store_full`, `data_dir_unusable` (also for a file that `readOnly` or `beside` does not find)
 */
export const openSqlite = async (options: OpenOptions): Promise<SqliteFile> => {
  const { clock, make = startWorker, onLost = () => undefined, ...rest } = options;
  const { worker, unchecked } = await start(rest, make);
  const post = (message: ToWorker): void => worker.postMessage(message, []);
  const channel = createChannel(clock, (batch) => post({ kind: 'batch', batch }));
  const closed = (reason: string): RelayError =>
    new RelayError('store_closed', { details: { path: options.path, reason } });
  let gone: RelayError | undefined;
  let closing: Promise<void> | undefined;

  const lose = (error: RelayError): void => {
    if (!gone) {
      gone = error;
      onLost(error);
    }
    channel.fail(gone);
  };
  const die = (reason: string): void => lose(closed(reason));
  worker.on('message', (message: FromWorker) => message.kind === 'result' && channel.answered(message.result));
  worker.on('error', (error: unknown) => die(`its worker failed: ${String(error)}`));
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  void exited.then(() => die('its worker ended'));

  /** Nothing is written to a damaged file any more. A check that failed to run is repeated at the next start. */
  const check = (): Worker => {
    const checking = make({ path: options.path, schema: [], readOnly: true, check: true });
    const found = (answer: FromWorker): void => {
      if (answer.kind !== 'opened' || answer.failure?.kind !== 'damaged') return;
      lose(errorOf(answer.failure, options.path, options.remedy));
      void worker.terminate();
    };
    void firstAnswer(checking).then(found, () => undefined);
    return checking;
  };
  const checking = unchecked ? check() : undefined;

  const close = async (): Promise<void> => {
    await checking?.terminate();
    if (gone) return;
    await channel.idle();
    if (gone) return;
    gone = closed('it was closed');
    post({ kind: 'close' });
    const giveUp = clock.after(closeMs, () => void worker.terminate());
    await exited;
    giveUp.cancel();
  };

  const refusal = (): RelayError | undefined => gone ?? (closing ? closed('it is closing') : undefined);

  return {
    async write(unit, { deadlineMs = defaultDeadlineMs } = {}) {
      const refused = refusal();
      if (refused) throw refused;
      const result = await channel.write(unit, deadlineMs);
      if ('failure' in result) throw errorOf(result.failure, options.path, options.remedy);
      return result.rows ?? unit.flatMap(({ params }) => params.map(() => noRows));
    },
    async read(sql, params = [], { deadlineMs = defaultDeadlineMs, maxBytes } = {}) {
      const refused = refusal();
      if (refused) throw refused;
      const result = await channel.read({ sql, params, ...(maxBytes === undefined ? {} : { maxBytes }) }, deadlineMs);
      if ('failure' in result) throw errorOf(result.failure, options.path, options.remedy);
      return result.rows;
    },
    alive: () => refusal() === undefined,
    close: () => (closing ??= close()),
  };
};
