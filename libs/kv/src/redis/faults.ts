/** Why calls fail. */
export interface Fault {
  /**
   * Names the state; a change to another one is said once. With `writes` the connection is kept and tried until writes work,
   * `call` is the call's own problem, with all others the connection is given up and made again.
   */
  readonly kind: 'away' | 'login' | 'tls' | 'cluster' | 'replica' | 'server' | 'writes' | 'call';
  /** In words, with what to do; never what the server echoes of a command. */
  readonly reason: string;
}

/** A fault that was thrown. */
export class FaultError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, cause?: unknown) {
    super(fault.reason, cause === undefined ? undefined : { cause });
    this.fault = fault;
  }
}

/** A fault of the connection itself: no answer, closed, no way there. */
export const away = (reason: string): Fault => ({ kind: 'away', reason });

/** What a server in cluster mode is refused with. */
export const clusterFault: Fault = {
  kind: 'cluster',
  reason: 'it is a Redis Cluster, which has only database 0; use one server or Sentinel instead',
};

/** What a server that takes no writes because it follows another one is refused with. */
export const replicaFault: Fault = {
  kind: 'replica',
  reason: 'it is a read-only replica; KV_HOST must name the master',
};

/** What a server that reads its data from disk is refused with. */
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

/** What the server said up to where it may quote what was sent: passwords, keys and values are in quotes. */
const unquoted = (message: string): string => (/^[^`'"\r\n]{0,80}/.exec(message)?.[0] ?? '').trim();

/** Redis 6 puts what a command in a script failed with behind words of its own. */
const insideScript = /^ERR Error running script.*?: -?([A-Z]{3,} .*)$/s;

/** The fault behind an error that the server answered with. */
export const faultOfReply = (message: string): Fault => {
  const text = insideScript.exec(message)?.[1] ?? message;
  const known = replies.find(([pattern]) => pattern.test(text))?.[1];
  return known ?? { kind: 'call', reason: `it answers "${unquoted(text)}"` };
};

/** No answer in time. */
export const lateFault = (ms: number): Fault => away(`no answer within ${ms} ms`);

const certificate = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/;

/** The fault behind an error of the network or of TLS. */
export const faultOfNetwork = (error: unknown): Fault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (certificate.test(code))
    return { kind: 'tls', reason: `its certificate is not accepted (${code}); check KV_TLS_CA_FILE` };
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return { kind: 'tls', reason: `TLS with it fails (${code}); check KV_TLS and its port` };
  return away((error instanceof Error && error.message) || code || 'the connection broke');
};
