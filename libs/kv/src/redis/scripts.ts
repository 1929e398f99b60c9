import { createHash } from 'node:crypto';

/** A script as the server knows it. */
export interface Script {
  readonly text: string;
  /** Name under which the server keeps it: SHA-1 of the text. */
  readonly sha: string;
}

const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') });

/** KEYS: key. ARGV: expected, value, TTL in ms or nothing. 1 when it wrote. */
export const compareAndSetScript = script(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`);

/** KEYS: key. ARGV: expected. 1 when it deleted. */
export const compareAndDeleteScript = script(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`);

/** Every script; a new connection loads them, so that calls of one turn keep their order. */
export const scripts: readonly Script[] = [compareAndSetScript, compareAndDeleteScript];
