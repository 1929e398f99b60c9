import { createClient, ErrorReply } from 'redis';
import { FaultError, faultOfNetwork, faultOfReply, type Fault } from './faults.ts';
import type { RedisAddress } from './settings.ts';

/** Options of a connection. */
export interface ClientOptions {
  readonly address: RedisAddress;
  readonly database: number;
  /** Name of this client in the server's client list. */
  readonly name: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly ca?: string };
  /** Called once when the connection is lost, even before it was open; never after `destroy`. */
  readonly onLost: (error: unknown) => void;
}

/** One connection. It never reconnects. */
export interface Client {
  /** Resolves when the server has accepted the login. */
  connect(): Promise<void>;
  /** Sends a command, without a deadline; commands of one turn of the event loop share a write. */
  send(command: readonly string[]): Promise<unknown>;
  /** Closes the connection at once; commands without a response reject. */
  destroy(): void;
}

/** Whether the server returned this error. */
export const isReply = (error: unknown): boolean => error instanceof ErrorReply;

/** Whether the server does not know the script of a command. */
export const isUnknownScript = (error: unknown): boolean =>
  error instanceof ErrorReply && error.message.startsWith('NOSCRIPT');

/** Converts any rejection of a connection to a fault. */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof FaultError) return error.fault;
  return error instanceof ErrorReply ? faultOfReply(error.message) : faultOfNetwork(error);
};

const socketOf = ({ address: { host, port }, tls }: ClientOptions) => {
  // Fallbacks; the deadlines of the callers are shorter, and account for a blocked event loop.
  const timeouts = { connectTimeout: 10_000, socketTimeout: 10_000 };
  const common = { host, port, ...timeouts, reconnectStrategy: false as const };
  return tls ? { ...common, ...tls, tls: true as const } : common;
};

const login = ({ username, password }: ClientOptions) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

let template: ReturnType<typeof createClient> | undefined;

/** The library builds a class with every command for each new set of options, which takes 20 ms; a duplicate shares the class. */
const newClient = (options: Parameters<typeof createClient>[0]): ReturnType<typeof createClient> => {
  template ??= createClient({ RESP: 3 });
  const client: unknown = template.duplicate(options as Parameters<typeof template.duplicate>[0]);
  return client as ReturnType<typeof createClient>;
};

/** Creates a connection without opening it. */
export const createRedisClient = (options: ClientOptions): Client => {
  const { database, name, onLost } = options;
  const client = newClient({
    RESP: 3,
    name,
    database,
    ...login(options),
    // Callers set deadlines; the library's timeout does not apply once a command is written.
    commandOptions: { timeout: 0 },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: socketOf(options),
  });
  let over = false;

  const destroy = (): void => {
    over = true;
    client.destroy();
  };
  // Any error ends the connection: after a broken response, later responses could be matched to wrong calls.
  client.on('error', (error: unknown) => {
    if (over) return;
    destroy();
    onLost(error);
  });

  return {
    connect: async () => void (await client.connect()),
    send: (command) => client.sendCommand(command),
    destroy,
  };
};
