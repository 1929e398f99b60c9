import { createRedisClient, faultOf } from './client.ts';
import { away, FaultError, lateFault, type Fault } from './faults.ts';
import type { RedisAddress, RedisSettings } from './settings.ts';
import { within, type Limit } from './within.ts';

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

/** Asks one sentinel. */
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
    const found = masterIn(await within(limit, answer(), () => new FaultError(lateFault(limit.ms))));
    if (found) return found;
    throw new FaultError(away(`it knows no master ${master}; check KV_SENTINEL_MASTER`));
  } catch (error) {
    throw new FaultError(faultAt(node, error));
  } finally {
    client.destroy();
  }
};

/**
 * Address of the server to write to: the one of the settings, or the master that the first answering sentinel names.
 * @throws FaultError of the last sentinel when all of them fail
 */
export const findServer = async (settings: RedisSettings, limit: Limit): Promise<RedisAddress> => {
  const { sentinel } = settings;
  if (!sentinel) return { host: settings.host, port: settings.port };
  try {
    return await Promise.any(sentinel.nodes.map((node) => ask(node, { ...settings, sentinel }, limit)));
  } catch (error) {
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  }
};
