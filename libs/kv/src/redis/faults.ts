/** The reason why calls fail. */
export interface Fault {
  /**
   * The kind of the fault; each change to another kind is logged. For `writes`, the connection stays open until writes succeed; `call` concerns
   * a single call; for all others, the link reconnects.
   */
  readonly kind: 'away' | 'login' | 'tls' | 'cluster' | 'replica' | 'server' | 'writes' | 'call';
  /** The problem and its remedy, as a text; never what the server quotes of a command. */
  readonly reason: string;
}

/** A fault as an exception. */
export class FaultError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, cause?: unknown) {
    super(fault.reason, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

/** The connection failed: no response, closed, or unreachable. */
export const away = (reason: string): Fault => ({ kind: 'away', reason });

/** A server in cluster mode. */
export const clusterFault: Fault = {
  kind: 'cluster',
  reason: 'it is a Redis Cluster, which has only database 0; use one server or Sentinel instead',
};

/** A server that refuses writes because it is a replica. */
export const replicaFault: Fault = {
  kind: 'replica',
  reason: 'it is a read-only replica; KV_HOST must name the master',
};

/** A server that is loading its data from disk. */
export const loadingFault = away('it is still loading its data');

const replies: readonly (readonly [RegExp, Fault])[] = [
  [
    /^(NOAUTH|WRONGPASS)\b|^ERR (AUTH|invalid password|Client sent AUTH)/,
    { kind: 'login', reason: 'it refuses the login; check KV_USERNAME and KV_PASSWORD' },
  ],
  [/^DENIED\b/, { kind: 'login', reason: 'it is in protected mode; give it a password and set KV_PASSWORD' }],
  [/^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT|TRYAGAIN)\b|SELECT is not allowed in cluster mode/, clusterFault],
  [/^READONLY\b/, replicaFault],
  [/^LOADING\b/, loadingFault],
  [/^MASTERDOWN\b/, replicaFault],
  [/^ERR max number of clients/, away('it has reached its limit of clients (maxclients)')],
  [
    /^NOPROTO\b|^ERR unknown command .?HELLO/i,
    { kind: 'server', reason: 'it is too old; Redis 6 or a later one is needed' },
  ],
  [
    /DB index is out of range/,
    { kind: 'server', reason: 'it lacks the database; check KV_STATE_DB and KV_CONFIGS_DB' },
  ],
  [/^OOM\b/, { kind: 'writes', reason: 'its memory is full; raise its maxmemory' }],
  [/^MISCONF\b/, { kind: 'writes', reason: 'it accepts no writes because it cannot save to its disk; see its log' }],
  [
    /^NOREPLICAS\b/,
    { kind: 'writes', reason: 'it accepts no writes because replicas are missing (min-replicas-to-write)' },
  ],
  [/^BUSY\b/, { kind: 'writes', reason: 'it is running a script of another program' }],
  [
    /^NOPERM\b/,
    {
      kind: 'call',
      reason:
        'the user of KV_USERNAME lacks a permission; it needs all keys and +@read +@write +@scripting +@connection',
    },
  ],
  [
    /^WRONGTYPE\b/,
    {
      kind: 'call',
      reason: 'the key does not hold a string, so another program uses this database; choose another database',
    },
  ],
];

/** The server's message up to the first quote: quoted text may contain passwords, keys and values. */
const unquoted = (message: string): string => (/^[^`'"\r\n]{0,80}/.exec(message)?.[0] ?? '').trim();

/** Redis 6 wraps the error of a command in a script into another message. */
const insideScript = /^ERR Error running script.*?: -?([A-Z]{3,} .*)$/s;

/** Converts an error reply of the server to a fault. */
export const faultOfReply = (message: string): Fault => {
  const text = insideScript.exec(message)?.[1] ?? message;
  const known = replies.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? { kind: 'call', reason: `it answers "${unquoted(text)}"` };
};

/** A timeout. */
export const lateFault = (ms: number): Fault => away(`no answer within ${ms} ms`);

const certificate = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/;

/** Converts an error of the network or of TLS to a fault. */
export const faultOfNetwork = (error: unknown): Fault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (certificate.test(code))
    return { kind: 'tls', reason: `its certificate is not accepted (${code}); check KV_TLS_CA_FILE` };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return { kind: 'tls', reason: `TLS with it fails (${code}); check KV_TLS and its port` };
  return away((error instanceof Error && error.message) || code || 'the connection broke');
};
