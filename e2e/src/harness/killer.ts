import type { Random } from '@ranger-relay/runtime';

/** Processes that can be killed. */
export type VictimKind = 'product' | 'ingester' | 'forwarder' | 'broker' | 'redis';

/** One `kill -9`; times in ms since 1970. */
export interface Kill {
  readonly victim: VictimKind;
  readonly at: number;
  /** The process had ended. */
  readonly goneAt: number;
  /** Address that its calls came from, when no other has it. */
  readonly address?: string;
  /** It was ready again; infinite before. */
  backAt: number;
}

const clockTime = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(11, 23) : 'never');

/** A kill in words. */
export const tellKill = ({ victim, at, backAt }: Kill): string => `${victim} ${clockTime(at)} to ${clockTime(backAt)}`;

/** Something that is killed and started again. */
export interface Victim {
  readonly kind: VictimKind;
  /** `kill -9`; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it is ready. */
  start(): Promise<void>;
}

/** How to kill. */
export interface KillOptions {
  readonly victims: readonly Victim[];
  readonly kills: number;
  /** Time to the next kill, ms; asked after each. */
  readonly betweenMs: (killed: number) => number;
  /** Longest time that a victim stays away, ms. */
  readonly downMs: number;
  readonly random: Random;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const shuffled = <T>(items: readonly T[], { next }: Random): T[] =>
  items
    .map((item) => ({ item, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

/**
 * Kills at random moments, one victim at a time, and starts each again after a while: what is down when the next one dies stays down.
 * Everyone is killed before anyone is killed again. Resolves when all are ready again.
 */
export const killRepeatedly = async ({
  victims,
  kills: count,
  betweenMs,
  downMs,
  random,
}: KillOptions): Promise<Kill[]> => {
  const kills: Kill[] = [];
  const returning = new Map<Victim, Promise<void>>();
  let deck: Victim[] = [];

  const bringBack = async (victim: Victim, kill: Kill): Promise<void> => {
    await pause(random.next() * downMs);
    await victim.start();
    kill.backAt = Date.now();
  };

  while (kills.length < count) {
    await pause(betweenMs(kills.length));
    if (deck.length === 0) deck = shuffled(victims, random);
    const victim = deck.pop() as Victim;
    await returning.get(victim);
    const at = Date.now();
    await victim.kill();
    const kill: Kill = { victim: victim.kind, at, goneAt: Date.now(), backAt: Infinity };
    kills.push(kill);
    const coming = bringBack(victim, kill);
    coming.catch(() => undefined);
    returning.set(victim, coming);
  }
  await Promise.all(returning.values());
  return kills;
};
