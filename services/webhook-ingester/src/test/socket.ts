import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { headersOf, type PostOptions } from './harness.ts';

/** A connection on which a test writes what it likes. */
export interface RawConnection {
  readonly socket: Socket;
  write(data: string | Uint8Array): void;
  /** Resolves with everything received once the text fits the pattern or the connection ends. */
  received(until: RegExp): Promise<string>;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<void>;
}

/** Head of a POST, with its framing headers. */
export const headOf = (framing: Readonly<Record<string, string>>, options: PostOptions = {}): string =>
  [
    `POST ${options.path ?? '/webhooks'} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries({ ...headersOf(options), ...framing }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

/** Opens a connection; ended when the test ends. */
export const openConnection = async (t: { teardown(end: () => void): void }, port: number): Promise<RawConnection> => {
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => void socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (data) => (text += String(data)));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return {
    socket,
    closed,
    write: (data) => void socket.write(data),
    received: (until) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!until.test(text) && !socket.destroyed) return;
          socket.off('data', look).off('close', look);
          resolve(text);
        };
        socket.on('data', look).on('close', look);
        look();
      }),
  };
};
