import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../time/clock.ts';
import { type SimulatedResponse, BodyTooLarge, json, type SimRequest } from './answer.ts';

/** Reads a request's body up to `limit` bytes. */
const readBody = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size > limit) return reject(new BodyTooLarge(`more than ${limit} bytes`));
      parts.push(part);
    });
    request.on('end', () => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the connection ended inside the body')));
  });

const sendWhole = (response: ServerResponse, answer: SimulatedResponse): void => {
  const body = answer.bytes ?? answer.body ?? '';
  const length = answer.status === 204 ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  response.end(body);
};

const sendHalf = (response: ServerResponse, answer: SimulatedResponse): void => {
  const body = Buffer.from(answer.bytes ?? answer.body ?? '{"detail":"cut"}');
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(body.length) });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy());
};

/** Sends an answer on the connection, and calls its `onEnd` with the outcome. */
const deliver = (response: ServerResponse, answer: SimulatedResponse): void => {
  const { delivery = 'send', onEnd } = answer;
  if (response.destroyed || response.socket === null) return onEnd?.(false);
  let told = false;
  const tell = (sent: boolean): void => {
    if (!told) onEnd?.(sent);
    told = true;
  };
  response.once('finish', () => tell(delivery === 'send'));
  response.once('close', () => tell(false));
  if (delivery === 'send') sendWhole(response, answer);
  if (delivery === 'half') sendHalf(response, answer);
  if (delivery === 'reset') response.socket.resetAndDestroy();
};

/** Answers one request. */
export type Handle = (request: SimRequest) => Promise<SimulatedResponse>;

/** An HTTP server that can be away for a while and come back on its port. */
export interface SimServer {
  readonly port: number;
  readonly url: string;
  /** Breaks every connection and refuses new ones until `comeUp`. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

/** Where to listen; port 0 takes a free one. */
export interface SimServerOptions {
  readonly host: string;
  readonly port: number;
  readonly handle: Handle;
  /** Most bytes of a body; default 32 MiB. */
  readonly maxBodyBytes?: number;
}

/** Starts a server. @throws the system's error when the port cannot be listened to */
export type Listen = (options: SimServerOptions) => Promise<SimServer>;

const requestOf = (request: IncomingMessage, limit: number): SimRequest => {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers: request.headers as Record<string, string | undefined>,
    caller: request.socket.remoteAddress,
    body: () => readBody(request, limit),
  };
};

const failureAnswer = (error: unknown): SimulatedResponse =>
  error instanceof BodyTooLarge
    ? json(413, { detail: 'Request body too large.' }, { connection: 'close' })
    : json(500, { detail: `The simulator failed: ${String(error)}` });

const listener =
  ({ handle, maxBodyBytes = 33_554_432 }: SimServerOptions) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => undefined);
    void handle(requestOf(request, maxBodyBytes))
      .catch(failureAnswer)
      .then((answer) => deliver(response, answer));
  };

const listen = (options: SimServerOptions, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ keepAliveTimeout: 75_000 }, listener(options));
    server.once('error', reject);
    // A socket remembers its caller once it was asked; later the connection may be gone.
    server.on('connection', ({ remoteAddress }) => remoteAddress);
    server.listen(port, options.host, () => resolve(server));
  });

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Starts a real server. */
export const startServer: Listen = async (options) => {
  let server: Server | undefined = await listen(options, options.port);
  const { port } = server.address() as AddressInfo;
  let coming: Promise<void> | undefined;
  const goDown = async (): Promise<void> => {
    await coming?.catch(() => undefined);
    const going = server;
    server = undefined;
    if (going) await stop(going);
  };
  const listenAgain = async (): Promise<void> => {
    try {
      server ??= await listen(options, port);
    } finally {
      coming = undefined;
    }
  };
  return {
    port,
    url: `http://${options.host}:${port}`,
    goDown,
    comeUp: () => (coming ??= listenAgain()),
    close: goDown,
  };
};

/** Ways of a server to be away for a while. */
export interface Absences {
  /** Breaks every connection and refuses new ones for `ms` milliseconds of the clock. */
  away(ms: number): Promise<void>;
  /** The same from just after the answer under way. */
  awaySoon(ms: number): void;
  /** Closes the server, for good. */
  close(): Promise<void>;
}

/** Has a server, once it is started, be away for a while. */
export const absencesOf = (clock: Clock, server: () => SimServer): Absences => {
  let closed = false;
  const away = async (ms: number): Promise<void> => {
    await server().goDown();
    clock.after(ms, () => void (closed || server().comeUp()), true);
  };
  return {
    away,
    awaySoon: (ms) => void clock.after(20, () => void away(ms), true),
    close() {
      closed = true;
      return server().close();
    },
  };
};
