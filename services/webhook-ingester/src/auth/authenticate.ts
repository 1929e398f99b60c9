import { type BlockList, isIP } from 'node:net';
import { RelayError } from '@ranger-relay/errors';
import { blockListOf } from '@ranger-relay/runtime';
import type { IngesterConfig } from '../config.ts';
import { isTokenValid, maxTokenLength, normalizeId, openTokensFile } from './tokens-file.ts';

/** The places where a request may name its integration. */
interface IdentitySources {
  /** Value of `x-consumer-username`, only when it comes from a trusted gateway. */
  readonly consumer: string | undefined;
  /** Value of the integration header. */
  readonly header: string | undefined;
  /** Value of `?integration_id=`. */
  readonly query: string | undefined;
}

const ofConsumer = (consumer: string | undefined): string | undefined => {
  const name = consumer?.slice(consumer.lastIndexOf(':') + 1).trim();
  return name === 'anonymous' ? undefined : name;
};

/** The integration that a request is for: from consumer, header or query, in this order (device contract, section 2, integration id). */
export const integrationIdOf = ({ consumer, header, query }: IdentitySources): string | undefined =>
  normalizeId(ofConsumer(consumer) || header || query);

/** The address without IPv6 zone and without the IPv6 form of an IPv4 address. */
export const normalizeAddress = (address: string): string => {
  const plain = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  return mapped?.[1] ?? plain;
};

/** Whether the socket's peer is inside the networks; an unknown peer is not. */
export const isTrustedPeer = (networks: BlockList, address: string | undefined): boolean => {
  const plain = normalizeAddress(address ?? '');
  const family = isIP(plain);
  return family !== 0 && networks.check(plain, family === 6 ? 'ipv6' : 'ipv4');
};

/** The facts of a request that authentication uses. */
export interface Caller {
  /** Value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** Value of a query parameter. */
  query(name: string): string | undefined;
  /** Address of the socket's peer. */
  readonly peer: string | undefined;
}

/**
 * Returns the integration that a request is for, once the caller is authorized for it (device contract, section 2,
 * integration id and token).
 * @throws RelayError `webhook_no_integration`, `webhook_unauthorized`
 */
export type Authenticate = (caller: Caller) => string;

const presentedTokens = ({ header, query }: Caller): string[] => {
  const bearer = /^Bearer +(\S+)\s*$/i.exec(header('authorization') ?? '')?.[1];
  const all = [header('x-outbound-auth-token'), header('apikey'), query('apikey'), bearer];
  return all.filter((token): token is string => !!token && token.length <= maxTokenLength);
};

type AuthConfig = Pick<
  IngesterConfig,
  'WEBHOOK_AUTH' | 'WEBHOOK_TOKENS_FILE' | 'WEBHOOK_TRUSTED_PROXIES' | 'WEBHOOK_INTEGRATION_HEADER'
>;

/** Creates the configured authentication. @throws RelayError `config_invalid` for a tokens file that cannot be used */
export const createAuthenticate = (config: AuthConfig, context: Parameters<typeof openTokensFile>[1]): Authenticate => {
  const { WEBHOOK_AUTH: mode, WEBHOOK_TOKENS_FILE: path } = config;
  const networks = blockListOf(config.WEBHOOK_TRUSTED_PROXIES);
  const headerName = config.WEBHOOK_INTEGRATION_HEADER.toLowerCase();
  const tokens = mode === 'token' && path !== undefined ? openTokensFile(path, context) : undefined;

  const isAuthorized = (caller: Caller, id: string, trusted: boolean): boolean => {
    if (mode === 'none') return true;
    if (mode === 'gateway') return trusted;
    return tokens !== undefined && isTokenValid(tokens.current(), id, presentedTokens(caller));
  };

  return (caller) => {
    const trusted = mode === 'gateway' && isTrustedPeer(networks, caller.peer);
    const id = integrationIdOf({
      consumer: trusted ? caller.header('x-consumer-username') : undefined,
      header: caller.header(headerName),
      query: caller.query('integration_id'),
    });
    if (id === undefined) throw new RelayError('webhook_no_integration', { details: { header: headerName } });
    if (!isAuthorized(caller, id, trusted)) {
      const listed = tokens?.current().has(id) ?? false;
      throw new RelayError('webhook_unauthorized', { details: { integration: id, listed } });
    }
    return id;
  };
};
