import { createClient, ErrorReply } from 'redis';
import { FaultError, faultOfNetwork, faultOfReply, type Fault } from './faults.ts';
import type { RedisAddress } from './settings.ts';

/** How to make one connection. */
export interface ClientOptions {
  readonly address: RedisAddress;
  readonly database: number;
  /** How the server lists this client. */
  readonly name: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly ca?: string };
  /** Hears of each key that was read and has changed since; null for all. Makes the server remember what is read. */
  readonly onInvalidate?: (key: string | null) => void;
  /** Hears once that the connection is lost, also before it was open; never after `destroy`. */
  readonly onLost: (error: unknown) => void;
}

/** One connection. It is used until it is lost and never connects again by itself. */
export interface Client {
  /** Resolves when the server has taken the login. */
  connect(): Promise<void>;
  /** Sends a command; those of one turn of the event loop leave in one write. Has no deadline. */
  send(command: readonly string[]): Promise<unknown>;
  /** Ends the connection at once; commands without an answer reject. */
  destroy(): void;
}

/** The server itself answered with this error. */
export const isReply = (error: unknown): boolean => error instanceof ErrorReply;

/** The server does not know the script that a command named. */
export const isUnknownScript = (error: unknown): boolean =>
  error instanceof ErrorReply && error.message.startsWith('NOSCRIPT');

/** The fault behind anything that making or using a connection rejects with. */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof FaultError) return error.fault;
  return error instanceof ErrorReply ? faultOfReply(error.message) : faultOfNetwork(error);
};

const socketOf = ({ address: { host, port }, tls }: ClientOptions) => {
  // Backstops; deadlines raced outside are shorter, and are not taken in by a pause of the event loop.
  const timeouts = { connectTimeout: 10_000, socketTimeout: 10_000 };
  const common = { host, port, ...timeouts, reconnectStrategy: false as const };
  return tls ? { ...common, ...tls, tls: true as const } : common;
};

const login = ({ username, password }: ClientOptions) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
});

let template: ReturnType<typeof createClient> | undefined;

/** The library builds a class with every command for each new set of options, which takes 20 ms; a duplicate shares its class. */
const newClient = (options: Parameters<typeof createClient>[0]): ReturnType<typeof createClient> => {
  template ??= createClient({ RESP: 3 });
  const client: unknown = template.duplicate(options as Parameters<typeof template.duplicate>[0]);
  return client as ReturnType<typeof createClient>;
};

/** Makes a connection that is not open yet. */
export const createRedisClient = (options: ClientOptions): Client => {
  const { database, name, onInvalidate, onLost } = options;
  const client = newClient({
    RESP: 3,
    name,
    database,
    ...login(options),
    // Deadlines are raced outside: the client's own one does not fire once a command is written.
    commandOptions: { timeout: 0 },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    emitInvalidate: onInvalidate !== undefined,
    socket: socketOf(options),
  });
  let over = false;

  const destroy = (): void => {
    over = true;
    client.destroy();
  };
  // Any error ends the connection: behind a broken answer the next ones could be taken for those of other calls.
  client.on('error', (error: unknown) => {
    if (over) return;
    destroy();
    onLost(error);
  });
  if (onInvalidate) client.on('invalidate', (key: Buffer | string | null) => onInvalidate(key?.toString() ?? null));

  return {
    connect: async () => void (await client.connect()),
    send: (command) => client.sendCommand(command),
    destroy,
  };
};
