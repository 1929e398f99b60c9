import type { KvSpaceName, StoreServer } from '../port.ts';
import { type Client, createRedisClient, faultOf } from './client.ts';
import { away, clusterFault, type Fault, FaultError, lateFault, loadingFault, replicaFault } from './faults.ts';
import { scripts } from './space.ts';
import type { RedisAddress, RedisSettings } from './settings.ts';
import { type Limit, withinReads } from './within.ts';

/**
 * A write without effect, because the key never exists and XX requires it. The server refuses it whenever it refuses writes, so it shows whether
 * calls can succeed.
 */
export const probe: readonly string[] = ['SET', 'ranger-relay.probe', '', 'XX'];

const fields = (info: unknown): Map<string, string> =>
  new Map(
    String(info)
      .split(/\r?\n/)
      .map((line) => line.split(':', 2) as [string, string]),
  );

/** A section of INFO; empty when the user lacks the permission. */
const info = (client: Client, section: string): Promise<Map<string, string>> =>
  client.send(['INFO', section]).then(fields, () => new Map());

/**
 * Checks whether the server can be used, and loads the scripts. Returns the run id of the server; undefined when the user lacks the permission.
 * @throws FaultError, or the server's error for the probe
 */
export const examine = async (client: Client): Promise<string | undefined> => {
  // Without the permission to load scripts, the first call of a script sends its text.
  const loaded = scripts.map(({ text }) => client.send(['SCRIPT', 'LOAD', text]).catch(() => undefined));
  const probed = client.send(probe);
  // Awaited below, after the checks that explain a refusal better.
  probed.catch(() => undefined);
  const [cluster, replication, persistence, server] = await Promise.all([
    info(client, 'cluster'),
    info(client, 'replication'),
    info(client, 'persistence'),
    info(client, 'server'),
  ]);
  if (cluster.get('cluster_enabled') === '1') throw new FaultError(clusterFault);
  if (persistence.get('loading') === '1') throw new FaultError(loadingFault);
  if (replication.get('role') === 'slave') throw new FaultError(replicaFault);
  await Promise.all(loaded);
  await probed;
  return server.get('run_id');
};

/** Reads the server's clock, and its settings of memory and disk. */
export const describeServer = async (send: (command: readonly string[]) => Promise<unknown>): Promise<StoreServer> => {
  const section = (name: string): Promise<Map<string, string>> => send(['INFO', name]).then(fields, () => new Map());
  const [time, memory, persistence] = await Promise.all([send(['TIME']), section('memory'), section('persistence')]);
  const aof = persistence.get('aof_enabled');
  const [seconds = '0', micros = '0'] = time as readonly string[];
  return {
    now: Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000),
    maxMemoryBytes: Number(memory.get('maxmemory') ?? 0),
    evictionPolicy: memory.get('maxmemory_policy') ?? '',
    appendOnly: aof === undefined ? null : aof === '1',
  };
};

type Sentinel = NonNullable<RedisSettings['sentinel']>;

const masterIn = (reply: unknown): RedisAddress | undefined => {
  if (!Array.isArray(reply)) return undefined;
  const [host, port] = reply as unknown[];
  return typeof host === 'string' ? { host, port: Number(port) } : undefined;
};

const faultAt = ({ host, port }: RedisAddress, error: unknown): Fault => {
  const fault = faultOf(error);
  const reason =
    fault.kind === 'login'
      ? 'refuses the login; check KV_SENTINEL_USERNAME and KV_SENTINEL_PASSWORD'
      : `fails: ${fault.reason}`;
  return { ...fault, reason: `the sentinel ${host}:${port} ${reason}` };
};

/** Asks one sentinel for the master. */
const ask = async (
  node: RedisAddress,
  { tls, sentinel }: RedisSettings & { sentinel: Sentinel },
  limit: Limit,
): Promise<RedisAddress> => {
  const { nodes: _nodes, master, ...login } = sentinel;
  const client = createRedisClient({
    address: node,
    database: 0,
    name: 'ranger-relay',
    ...login,
    ...(tls === undefined ? {} : { tls }),
    onLost: () => undefined,
  });
  const answer = async (): Promise<unknown> => {
    await client.connect();
    return client.send(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]);
  };
  try {
    const found = masterIn(await withinReads(limit, answer(), () => new FaultError(lateFault(limit.ms))));
    if (found) return found;
    throw new FaultError(away(`it knows no master ${master}; check KV_SENTINEL_MASTER`));
  } catch (error) {
    throw new FaultError(faultAt(node, error));
  } finally {
    client.destroy();
  }
};

/**
 * Address of the server to write to: the configured one, or the master that the first responding sentinel returns.
 * @throws FaultError of the last sentinel when all of them fail
 */
const findServer = async (settings: RedisSettings, limit: Limit): Promise<RedisAddress> => {
  const { sentinel } = settings;
  if (!sentinel) return { host: settings.host, port: settings.port };
  try {
    return await Promise.any(sentinel.nodes.map((node) => ask(node, { ...settings, sentinel }, limit)));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  }
};

/** Options of `connect`. */
interface ConnectOptions {
  readonly space: KvSpaceName;
  readonly settings: RedisSettings;
  /** Limit of each step: finding the server, connecting, and checking it. */
  readonly limit: Limit;
  /** Called once when the connection is lost. */
  readonly onLost: (error: unknown) => void;
}

/** A connection to a server that was checked. */
interface Connected {
  readonly client: Client;
  /** Run id of the server; undefined when unknown. */
  readonly run: string | undefined;
  /** The fault of a server that responds but refuses writes. */
  readonly fault?: Fault;
}

const loginOf = ({ username, password, tls }: RedisSettings) => ({
  ...(username === undefined ? {} : { username }),
  ...(password === undefined ? {} : { password }),
  ...(tls === undefined ? {} : { tls }),
});

/** Opens one connection; closes it again when a step fails. @throws an error for `faultOf`, or the reason of the limit's signal */
export const connect = async (options: ConnectOptions): Promise<Connected> => {
  const { space, settings, limit, onLost } = options;
  const late = (): Error => new FaultError(lateFault(limit.ms));
  const client = createRedisClient({
    address: await findServer(settings, limit),
    database: space === 'state' ? settings.stateDb : settings.configDb,
    name: `ranger-relay-${space}`,
    ...loginOf(settings),
    onLost,
  });
  try {
    await withinReads(limit, client.connect(), late);
    return { client, run: await withinReads(limit, examine(client), late) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault.kind === 'writes') return { client, run: undefined, fault };
    client.destroy();
    throw error;
  }
};
