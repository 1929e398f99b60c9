import type { KvSpaceName } from '../port.ts';
import { createRedisClient, faultOf, type Client } from './client.ts';
import { examine } from './examine.ts';
import { FaultError, lateFault, type Fault } from './faults.ts';
import { findServer } from './sentinel.ts';
import type { RedisSettings } from './settings.ts';
import { within, type Limit } from './within.ts';

/** What to connect. */
export interface ConnectOptions {
  readonly space: KvSpaceName;
  readonly settings: RedisSettings;
  /** For each step: finding the server, connecting, looking at it. */
  readonly limit: Limit;
  /** Hears of keys that were read and have changed; null for all. */
  readonly onInvalidate?: (key: string | null) => void;
  /** Hears once when the connection is lost. */
  readonly onLost: (error: unknown) => void;
}

/** An open connection to a server that was looked at. */
export interface Connected {
  readonly client: Client;
  /** Name of the server's present run; undefined when it does not tell. */
  readonly run: string | undefined;
  /** The server answers, but takes no writes at present. */
  readonly fault?: Fault;
}

const loginOf = ({ username, password, tls }: RedisSettings) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  ...(tls === undefined ? {} : { tls }),
});

/**
 * Makes one connection; nothing stays open when it fails.
 * @throws an error for `faultOf`, or the reason of the limit's signal
 */
export const connect = async (options: ConnectOptions): Promise<Connected> => {
  const { space, settings, limit, onInvalidate, onLost } = options;
  const late = (): Error => new FaultError(lateFault(limit.ms));
  const client = createRedisClient({
    address: await findServer(settings, limit),
    database: space === 'state' ? settings.stateDb : settings.configDb,
    name: `ranger-relay-${space}`,
    ...loginOf(settings),
    ...(onInvalidate ? { onInvalidate } : {}),
    onLost,
  });
  try {
    await within(limit, client.connect(), late);
    return { client, run: await within(limit, examine(client), late) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault.kind === 'writes') return { client, run: undefined, fault };
    client.destroy();
    throw error;
  }
};
