import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** One command as it came. */
export type Received = readonly string[];

/** A server that understands the protocol and nothing else; what it answers, a test decides. */
export interface FakeRedis {
  readonly port: number;
  /** Every command so far, without those of connecting and looking. */
  readonly received: Received[];
  /** Pieces in which commands came, without those of connecting and looking. */
  readonly pieces: () => number;
  /** What was sent against the protocol. */
  readonly violations: string[];
  /** Connections so far, and those that are open. */
  readonly accepted: () => number;
  readonly open: () => number;
  /** The raw answer to a command; undefined for the usual one, null for none. */
  answer: (command: Received) => string | null | undefined;
  /** Sends bytes on every open connection. */
  push(raw: string): void;
  /** Breaks every connection. */
  breakAll(): void;
  end(): Promise<void>;
}

/** Answers in the form of the protocol. */
export const ok = '+OK\r\n';
export const none = '_\r\n';
export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

const info: Readonly<Record<string, string>> = {
  cluster: 'cluster_enabled:0',
  replication: 'role:master',
  persistence: 'loading:0',
};

/** Commands of connecting and looking. */
const isOwn = ([name = '', first = '']: Received): boolean =>
  ['HELLO', 'SELECT', 'CLIENT', 'INFO', 'SCRIPT'].includes(name) || first === 'ranger-relay.probe';

const usual = ([name = '', first = '', second = '']: Received, values: Map<string, string>): string => {
  if (name === 'HELLO') return '%1\r\n$5\r\nproto\r\n:3\r\n';
  if (name === 'SELECT' || name === 'CLIENT') return ok;
  if (name === 'INFO') return bulk(info[first] ?? '');
  if (name === 'SCRIPT') return bulk('sha');
  if (first === 'ranger-relay.probe') return none;
  if (name === 'PTTL') return values.has(first) ? ':-1\r\n' : ':-2\r\n';
  if (name === 'GET') return values.has(first) ? bulk(values.get(first) ?? '') : none;
  if (name === 'SET') values.set(first, second);
  return name === 'SET' ? ok : `-ERR unknown command '${name}'\r\n`;
};

/** Takes whole commands off the bytes; returns what is left. The client's own decoder would pass commands with wrong lengths and types. */
const takeCommands = (bytes: Buffer, take: (command: string[]) => void, wrong: (what: string) => void): Buffer => {
  for (let rest = bytes; ; bytes = rest) {
    const line = (mark: string): number | undefined => {
      const end = rest.indexOf('\r\n');
      if (end < 0) return undefined;
      const text = rest.toString('latin1', 0, end);
      if (!new RegExp(`^\\${mark}\\d+$`).test(text)) wrong(text);
      rest = rest.subarray(end + 2);
      return Number(text.slice(1));
    };
    const count = line('*');
    if (count === undefined) return bytes;
    const command: string[] = [];
    while (command.length < count) {
      const length = line('$');
      if (length === undefined || rest.length < length + 2) return bytes;
      command.push(rest.toString('utf8', 0, length));
      rest = rest.subarray(length + 2);
    }
    take(command);
  }
};

/** Starts the server on a free port of this machine. */
export const startFakeRedis = async (): Promise<FakeRedis> => {
  const sockets = new Set<Socket>();
  const values = new Map<string, string>();
  const received: Received[] = [];
  const violations: string[] = [];
  let accepted = 0;
  let pieces = 0;

  const serve = (socket: Socket): void => {
    let bytes: Buffer = Buffer.alloc(0);
    accepted += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      const before = received.length;
      const answers: string[] = [];
      const take = (command: Received): void => {
        if (!isOwn(command)) received.push(command);
        const given = fake.answer(command);
        if (given !== null) answers.push(given ?? usual(command, values));
      };
      bytes = takeCommands(Buffer.concat([bytes, chunk]), take, (what) => violations.push(what));
      if (received.length > before) pieces += 1;
      if (answers.length > 0 && !socket.destroyed) socket.write(answers.join(''));
    });
  };

  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const fake: FakeRedis = {
    port: typeof address === 'object' && address ? address.port : 0,
    received,
    violations,
    pieces: () => pieces,
    accepted: () => accepted,
    open: () => sockets.size,
    answer: () => undefined,
    push: (raw) => sockets.forEach((socket) => socket.write(raw)),
    breakAll: () => sockets.forEach((socket) => socket.destroy()),
    async end() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
};
