import test from 'ava';
import { faultOfNetwork, faultOfReply, type Fault } from './faults.ts';

const replies: readonly [reply: string, kind: Fault['kind']][] = [
  ['WRONGPASS invalid username-password pair or user is disabled.', 'login'],
  ['NOAUTH HELLO must be called with the client already authenticated', 'login'],
  ['ERR AUTH <password> called without any password configured for the default user', 'login'],
  ['DENIED Redis is running in protected mode', 'login'],
  ['CLUSTERDOWN Hash slot not served', 'cluster'],
  ['CROSSSLOT Keys in request do not hash to the same slot', 'cluster'],
  ['ERR SELECT is not allowed in cluster mode', 'cluster'],
  ['MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to no.', 'replica'],
  ['ERR Error running script (call to f_ab): @user_script:2: -READONLY You can not write', 'replica'],
  ['ERR max number of clients reached', 'away'],
  ['NOPROTO unsupported protocol version', 'server'],
  ['ERR DB index is out of range', 'server'],
  ['MISCONF Redis is configured to save RDB snapshots', 'writes'],
  ['BUSY Redis is busy running a script.', 'writes'],
  ['ERR something new', 'call'],
];

test('every refusal of the server is known for what it is', (t) => {
  for (const [reply, kind] of replies) t.is(faultOfReply(reply).kind, kind, reply);
});

test('an unknown refusal is told up to where it may repeat what was sent', (t) => {
  t.is(faultOfReply("ERR invalid expire time in 'set' command").reason, 'it answers "ERR invalid expire time in"');
  t.true(faultOfReply(`ERR ${'x'.repeat(1_000)}`).reason.length < 120);
});

const broken = (code: string): Fault => faultOfNetwork(Object.assign(new Error('x'), { code }));

test('trouble with certificates and TLS names the variable to look at', (t) => {
  t.regex(broken('SELF_SIGNED_CERT_IN_CHAIN').reason, /KV_TLS_CA_FILE/);
  t.regex(broken('EPROTO').reason, /check KV_TLS and its port/);
  t.deepEqual(faultOfNetwork(new Error('connect ECONNREFUSED')), { kind: 'away', reason: 'connect ECONNREFUSED' });
  t.is(faultOfNetwork(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })).reason, 'ECONNREFUSED');
  t.is(faultOfNetwork('x').reason, 'the connection broke');
});
