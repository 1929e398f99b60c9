import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where to talk to. */
export interface TalkTo {
  readonly port: number;
  readonly password?: string;
  /** Certificate authority (PEM) of a server that speaks TLS. */
  readonly ca?: string;
}

const encode = (args: readonly string[]): string =>
  `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`;

/** The first answer in the bytes and what follows it; undefined while it is not whole. Lists are not understood. */
const decode = (bytes: Buffer): { text: string; rest: Buffer } | undefined => {
  const end = bytes.indexOf('\r\n');
  if (end < 0) return undefined;
  const line = bytes.toString('utf8', 0, end);
  if (!line.startsWith('$')) return { text: line, rest: bytes.subarray(end + 2) };
  const length = Math.max(0, Number(line.slice(1)));
  if (bytes.length < end + 2 + length + 2) return undefined;
  return { text: ` ${bytes.toString('utf8', end + 2, end + 2 + length)}`, rest: bytes.subarray(end + length + 4) };
};

const answers = async (socket: Socket, count: number): Promise<string[]> => {
  const found: string[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    for (let next = decode(bytes); next; next = decode(bytes)) {
      found.push(next.text);
      bytes = next.rest;
    }
    if (found.length >= count) return found;
  }
  throw new Error('the server closed the connection');
};

/** Sends one command on a connection of its own, past the adapter. Its answer as text, without its mark. */
export const talk = async ({ port, password, ca }: TalkTo, ...command: readonly string[]): Promise<string> => {
  const socket = ca
    ? connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' })
    : connectPlain({ host: '127.0.0.1', port });
  socket.setTimeout(5_000, () => socket.destroy(new Error(`${command[0] ?? ''}: no answer`)));
  const commands = [...(password === undefined ? [] : [['AUTH', password]]), command];
  socket.write(commands.map(encode).join(''));
  const last = (await answers(socket, commands.length).finally(() => socket.destroy())).at(-1) ?? '';
  if (last.startsWith('-')) throw new Error(last.slice(1));
  return last.slice(1);
};
