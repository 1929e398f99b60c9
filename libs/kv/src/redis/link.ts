import { type Clock, delayFor, type Logger, pause, type Random } from '@ranger-relay/runtime';
import type { KvSpaceName } from '../port.ts';
import { type Client, faultOf } from './client.ts';
import { connect, probe } from './connect.ts';
import { away, type Fault, FaultError, lateFault } from './faults.ts';
import type { RedisSettings } from './settings.ts';
import { withinReads } from './within.ts';

/** Logs the outages of both spaces together. */
interface Outages {
  /** Called when the space fails; logs the first fault of each kind. */
  begin(space: KvSpaceName, fault: Fault): void;
  /** Called when the space works; logs when both spaces work again. */
  end(space: KvSpaceName): void;
}

/** Creates the log of outages: one line per kind of fault, and one for the recovery. */
export const createOutages = (log: Logger): Outages => {
  const failing = new Set<KvSpaceName>();
  const logged = new Set<Fault['kind']>();
  return {
    begin(space, { kind, reason }) {
      failing.add(space);
      if (logged.has(kind)) return;
      logged.add(kind);
      const fields = { space, reason };
      if (kind === 'away' || kind === 'writes')
        log.warn(fields, 'the key-value store does not answer; events are sent without deduplication');
      else log.error(fields, 'the key-value store is unusable; events are sent without deduplication');
    },
    end(space) {
      if (!failing.delete(space) || failing.size > 0) return;
      logged.clear();
      log.info('the key-value store works again');
    },
  };
};

interface LinkOptions {
  readonly space: KvSpaceName;
  readonly settings: RedisSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly outages: Outages;
  /** Deadline of each step of connecting and of each probe, ms. */
  readonly deadlineMs: number;
}

/** The connection of one space, and its health. It reconnects whenever the connection is lost. */
export interface Link {
  /** The open connection, if there is one. */
  client(): Client | undefined;
  /** The reason why calls are expected to fail; undefined while they succeed, or before the first result. */
  fault(): Fault | undefined;
  /** Resolves after the first attempt to connect; undefined afterwards. */
  starting(): Promise<void> | undefined;
  /** Increases with each connection to another server, or to another run of the same one. */
  generation(): number;
  /** Evaluates the error of a call and returns its fault. */
  failed(client: Client, error: unknown): Fault;
  /** Closes the connection at once. */
  close(): Promise<void>;
}

/** Even the longest wait is short: until the store is back, the forwarder cannot write marks, and may send an event twice. */
const backoff = { baseMs: 50, maxMs: 500, jitterMs: 100 };
const maxReported = 100;
/** Interval between two probes while the server works, and while it refuses writes, ms. */
const probeMs = 3_000;
const recheckMs = 1_000;

/** Starts to connect in the background. */
export const createLink = (options: LinkOptions): Link => {
  const { space, settings, clock, random, log, outages, deadlineMs } = options;
  const first = Promise.withResolvers<void>();
  const end = new AbortController();
  const reported = new Set<string>();
  let starting: Promise<void> | undefined = first.promise;
  let current: { readonly client: Client; readonly gone: AbortController } | undefined;
  let fault: Fault | undefined;
  let lastRun: string | undefined;
  let generation = 0;

  const failing = (next: Fault): void => {
    fault = next;
    if (!end.signal.aborted) outages.begin(space, next);
  };

  const working = (): void => {
    fault = undefined;
    outages.end(space);
  };

  const drop = (why: Fault): void => {
    if (!current) return;
    const { client, gone } = current;
    current = undefined;
    failing(why);
    client.destroy();
    gone.abort();
  };

  const report = ({ reason }: Fault): void => {
    if (reported.has(reason) || reported.size >= maxReported) return;
    reported.add(reason);
    log.error({ space, reason }, 'the key-value store refuses a call');
  };

  const failed: Link['failed'] = (client, error) => {
    const found = faultOf(error);
    if (current?.client !== client) return fault ?? found;
    if (found.kind === 'writes') failing(found);
    else if (found.kind === 'call') report(found);
    else drop(found);
    return found;
  };

  /** Probes the server until the connection is lost. */
  const watch = async (client: Client, gone: AbortSignal): Promise<void> => {
    const limit = { clock, ms: deadlineMs, signal: gone };
    while (!gone.aborted) {
      await clock.sleep(fault ? recheckMs : probeMs, gone);
      await withinReads(limit, client.send(probe), () => new FaultError(lateFault(deadlineMs))).then(
        working,
        (error: unknown) => failed(client, error),
      );
    }
  };

  const open = async (): Promise<{ client: Client; gone: AbortSignal }> => {
    const gone = new AbortController();
    const onLost = (error: unknown): void => {
      if (current?.gone === gone) drop(faultOf(error));
    };
    const limit = { clock, ms: deadlineMs, signal: end.signal };
    const { client, run, fault: present } = await connect({ space, settings, limit, onLost });
    if (run === undefined || run !== lastRun) generation += 1;
    lastRun = run;
    current = { client, gone };
    if (present) failing(present);
    else working();
    return { client, gone: gone.signal };
  };

  const tried = (): void => {
    starting = undefined;
    first.resolve();
  };

  const keepOpen = async (): Promise<void> => {
    for (let tries = 0; !end.signal.aborted; tries++) {
      try {
        const { client, gone } = await open();
        tried();
        tries = 0;
        // Ends with the connection; its fault is recorded by then.
        await watch(client, gone).catch(() => undefined);
      } catch (error) {
        failing(faultOf(error));
        tried();
      }
      await pause(clock, delayFor(backoff, tries, random), end.signal);
    }
  };
  const kept = keepOpen();

  return {
    client: () => current?.client,
    fault: () => fault,
    starting: () => starting,
    generation: () => generation,
    failed,
    async close() {
      end.abort();
      drop(away('it is closed'));
      await kept;
    },
  };
};
