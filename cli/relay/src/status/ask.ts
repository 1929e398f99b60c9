import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { createConditions, createLogger, createMetrics, metricList } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { isLocked, runningUp, type RunningUp } from '../data-dir/index.ts';
import { type StoreOpeners, withOpen, withStores } from '../program/stores.ts';
import { collectStatus, type ReadableBus } from './collect.ts';
import { type Status, statusSchema, type Verdict } from './model.ts';

const timeoutMs = 10_000;

const get = async (address: string): Promise<Response> => {
  try {
    return await fetch(address, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
      headers: { connection: 'close' },
    });
  } catch (error) {
    throw new RelayError('not_running', { details: { address }, cause: error });
  }
};

/**
 * The status of a running `up` at an address.
 * @throws RelayError `not_running` without a response, `status_unreadable` when the response is not the status
 */
export const fetchStatus = async (address: string): Promise<Status> => {
  const answer = await get(address);
  const body: unknown = await answer.json().catch(() => null);
  const parsed = statusSchema.safeParse(body);
  if (!answer.ok || !parsed.success) {
    const problem = answer.ok ? 'is not the status of ranger-relay' : `has the status ${answer.status}`;
    throw new RelayError('status_unreadable', { details: { address, problem } });
  }
  return parsed.data;
};

/** Address of the status; a base address without a path gets the usual one. */
export const statusAddress = (given: string): string => {
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = '/status.json';
  return url.href;
};

/** The status of a running `up`. @throws RelayError `up_not_answering`, `status_unreadable` also when another process answers */
export const statusOfUp = async ({ id, addresses, dataDir, pid }: RunningUp): Promise<Status> => {
  const address = statusAddress(addresses.status);
  const found = await fetchStatus(address).catch((error: unknown) => {
    if (!isRelayError(error, 'not_running')) throw error;
    throw new RelayError('up_not_answering', { details: { address, path: dataDir, pid }, cause: error });
  });
  if (found.up?.id === id) return found;
  throw new RelayError('status_unreadable', { details: { address, problem: 'is that of another process' } });
};

/** A bus that does not answer. */
const unreachable = (cause: RelayError): ReadableBus => {
  const fail = async (): Promise<never> => {
    throw cause;
  };
  return {
    read: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
    pending: fail,
    topicProblems: () => [],
  };
};

/** Computes it from bus and store, where the services of a cluster share their conditions, also while the bus is away: they have no common page. */
export const statusOfStores = async (
  { openStores, openKv }: Pick<StoreOpeners, 'openStores' | 'openKv'>,
  clock: Shell['clock'],
): Promise<Status> => {
  const collect = async (bus: ReadableBus, kv: KeyValue): Promise<Status> => {
    const log = createLogger({ service: 'status', level: 'silent' });
    const conditions = createConditions({ clock, log, metrics: createMetrics(metricList) });
    return (await collectStatus({ bus, kv, services: () => [], conditions, clock })()).status;
  };
  try {
    return await withStores(openStores, ({ bus, kv }) => collect(bus, kv));
  } catch (error) {
    if (!isRelayError(error, 'bus_unavailable')) throw error;
    return withOpen(openKv, (kv) => collect(unreachable(error), kv));
  }
};

/** Facts about what runs on an installation. */
export interface RunningProcess {
  /** As its status page reports it; null when the page is unreachable, as from another pod. */
  readonly verdict: Verdict | null;
  /** Its page takes connections and does not answer. */
  readonly isHung?: boolean;
  /** Of the `up` on this machine. */
  readonly dataDir?: string;
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));

/** The services of a cluster, or the `up` of DATA_DIR; null when none runs there. @throws RelayError of the stores of a cluster */
export const findRunning = async (
  openers: Pick<StoreOpeners, 'isRemote' | 'openStores' | 'openKv' | 'dataDir'>,
  clock: Shell['clock'],
): Promise<RunningProcess | null> => {
  if (openers.isRemote()) return { verdict: (await statusOfStores(openers, clock)).verdict };
  const dataDir = openers.dataDir();
  if (!isLocked(dataDir)) return null;
  try {
    const { verdict } = await statusOfUp(await runningUp(dataDir));
    return { verdict, dataDir };
  } catch (error) {
    return { verdict: null, dataDir, isHung: isTimeout(error) };
  }
};
