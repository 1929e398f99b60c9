import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory, ISocketFactoryArgs } from 'kafkajs';
import { waits } from './settings.ts';

/**
 * A broker that owes a response and sends nothing for this long hangs, ms: less than a request may take, because the library goes on to another
 * broker only when a connection ends. A broker that waits for its replicas or for new records answers sooner.
 */
const silenceMs = waits.request - 100;
/** A connection that owes a response for so long is dead, although its broker answers on others, ms. */
const deadMs = 3 * silenceMs;
/** How long a broker that hangs is left alone before one connection tries it again, ms. */
const restMs = 500;

/** A timer that is later than this was not called in time, ms. */
const stoodStillMs = 300;

const keepAliveMs = 60_000;

/** Keys of JoinGroup and SyncGroup: they wait for the other members, so the broker is asked for something else meanwhile. */
const waitingKeys: ReadonlySet<number> = new Set([11, 14]);
/** Place of the key in a request, behind its length. */
const keyAt = 4;

/** Whether a request is to be answered at once. */
const owesAnswer = (request: unknown): boolean =>
  !(Buffer.isBuffer(request) && request.length >= keyAt + 2 && waitingKeys.has(request.readInt16BE(keyAt)));

/** What this process knows of a broker, by all of its clients; times on the monotonic clock, ms. */
interface Peer {
  /** Its sockets, and since when each owes a response. */
  readonly sockets: Map<Socket, number | undefined>;
  heardAt: number;
  /** Above 0 while it hangs: until then no socket is opened, then one, until the broker has sent something. */
  closedUntil: number;
  check?: NodeJS.Timeout | undefined;
}

const peers = new Map<string, Peer>();

const peerOf = (address: string): Peer => {
  const peer = peers.get(address) ?? { sockets: new Map(), heardAt: 0, closedUntil: 0 };
  peers.set(address, peer);
  return peer;
};

/** When a broker counts as hanging unless it sends something; undefined while it owes nothing. */
const silentAt = ({ sockets, heardAt }: Peer): number | undefined => {
  const owed = [...sockets.values()].filter((since) => since !== undefined);
  return owed.length === 0 ? undefined : Math.max(Math.min(...owed), heardAt) + silenceMs;
};

const hangUp = (peer: Peer, problem: Error): void => {
  peer.closedUntil = performance.now() + restMs;
  for (const socket of peer.sockets.keys()) socket.destroy(problem);
};

/** Hangs up when the broker owes a response for too long. What has arrived is read before that. */
const watch = (peer: Peer, problem: Error): void => {
  const at = silentAt(peer);
  if (peer.check || at === undefined) return;
  const check = (): void => {
    peer.check = undefined;
    // A process that stood still has asked nothing meanwhile.
    if (performance.now() > at + stoodStillMs) peer.heardAt = performance.now();
    if ((silentAt(peer) ?? Infinity) <= performance.now()) return hangUp(peer, problem);
    // One connection may be dead while the broker answers others.
    for (const [socket, since = Infinity] of peer.sockets)
      if (performance.now() - since > deadMs) socket.destroy(problem);
    watch(peer, problem);
  };
  peer.check = setTimeout(() => setImmediate(check), Math.max(0, at - performance.now()));
  peer.check.unref();
};

/** Notes what a socket owes: a response from a write until data arrives. */
const follow = (socket: Socket, peer: Peer, problem: Error): void => {
  const write = socket.write.bind(socket) as (data: unknown, encoding: unknown) => boolean;
  socket.write = (data: unknown, encoding: unknown): boolean => {
    if (owesAnswer(data) && peer.sockets.get(socket) === undefined) peer.sockets.set(socket, performance.now());
    watch(peer, problem);
    return write(data, encoding);
  };
  peer.sockets.set(socket, undefined);
  socket.on('data', () => {
    peer.sockets.set(socket, undefined);
    peer.heardAt = performance.now();
    peer.closedUntil = 0;
  });
  socket.once('close', () => peer.sockets.delete(socket));
};

const open = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket =>
  ssl
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
    : connect({ host, port }, onConnect);

/**
 * The sockets of one client. A broker that hangs keeps its connections and accepts new ones, and the library does not distinguish it from a
 * healthy one: its sockets are closed and new ones are refused for a while, so that the library goes on to another broker.
 */
export const createSockets = (): { readonly factory: ISocketFactory; end(): void } => {
  const sockets = new Set<Socket>();
  let ended = false;
  return {
    factory: (options) => {
      if (ended) throw new Error('the client is closed');
      const address = `${options.host}:${options.port}`;
      const peer = peerOf(address);
      const problem = new Error(`the broker ${address} does not answer`);
      if (performance.now() < peer.closedUntil) throw problem;
      if (peer.closedUntil > 0) peer.closedUntil = performance.now() + silenceMs + restMs;
      const socket = open(options).setKeepAlive(true, keepAliveMs);
      follow(socket, peer, problem);
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    end() {
      ended = true;
      for (const socket of sockets) socket.destroy(new Error('the client is closed'));
    },
  };
};
