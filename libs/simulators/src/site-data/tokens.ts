import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import type { User } from './records.ts';

/** The tokens of a site: each user's own, and those that were asked for with a password. */
export interface DataTokens {
  /** Makes a token for a user, good for so many seconds. */
  issue(username: string, lifeS: number): string;
  /** Name of the user whose token it is; undefined for an unknown or an old one. */
  owner(token: string): string | undefined;
  /** Ends every token that was asked for with a password. */
  expireAll(): void;
  /** Makes one token unknown, a user's own too. */
  revoke(token: string): void;
  /** How many were asked for. */
  issued(): number;
}

/** Makes them. */
export const createDataTokens = (clock: Clock, random: Random, users: () => readonly User[]): DataTokens => {
  const issued = new Map<string, { readonly username: string; readonly endsAt: number }>();
  const revoked = new Set<string>();
  let made = 0;
  return {
    issue(username, lifeS) {
      made += 1;
      const token = `issued-${made}-${random.uuid()}`;
      issued.set(token, { username, endsAt: clock.monotonic() + lifeS * 1_000 });
      return token;
    },
    owner(token) {
      if (revoked.has(token)) return undefined;
      const found = issued.get(token);
      if (found) return clock.monotonic() < found.endsAt ? found.username : undefined;
      return users().find((user) => user.token === token)?.username;
    },
    expireAll: () => issued.clear(),
    revoke: (token) => void revoked.add(token),
    issued: () => made,
  };
};
