import type { HttpClient } from '@ranger-relay/http';
import type { KvSpace } from '@ranger-relay/kv';

/** The life of a process that may be killed between any two of its calls to the outside. */
export interface Life {
  /** Resolves when it was killed. */
  readonly dead: Promise<void>;
  /** Calls so far. */
  calls(): number;
  /** Makes a call to the outside, or never ends once the process is dead. */
  live<T>(call: () => Promise<T>): Promise<T>;
  /** The same for a call that takes turns of the event loop before it is carried out, and is not when the process dies meanwhile. */
  liveSlowly<T>(call: () => Promise<T>): Promise<T>;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const forever = (): Promise<never> => new Promise(() => undefined);

/**
 * A process that is killed at its nth call, before that is carried out or after it, when its answer is lost.
 * @param killAt from 1; Infinity: never
 */
export const lifeOf = (killAt = Infinity, after = false): Life => {
  const { promise: dead, resolve: die } = Promise.withResolvers<void>();
  let [calls, over] = [0, false];
  void dead.then(() => (over = true));
  const life: Life = {
    dead,
    calls: () => calls,
    liveSlowly: (call) =>
      life.live(async () => {
        for (let turns = 0; turns < 5; turns += 1) await turn();
        return over ? forever() : call();
      }),
    async live(call) {
      calls += 1;
      if (calls > killAt || (calls === killAt && !after)) {
        die();
        return forever();
      }
      const killed = calls === killAt;
      const answer = await call();
      if (killed) die();
      return killed || over ? forever() : answer;
    },
  };
  return life;
};

/** A space as a process sees it. */
export const livingSpace = (space: KvSpace, { live }: Pick<Life, 'live'>): KvSpace => ({
  get: (...args) => live(() => space.get(...args)),
  set: (...args) => live(() => space.set(...args)),
  setIfAbsent: (...args) => live(() => space.setIfAbsent(...args)),
  compareAndSet: (...args) => live(() => space.compareAndSet(...args)),
  compareAndDelete: (...args) => live(() => space.compareAndDelete(...args)),
  delete: (...args) => live(() => space.delete(...args)),
  list: (...args) => live(() => space.list(...args)),
});

/** A client as a process sees it. */
export const livingHttp = (http: HttpClient, { live }: Life): HttpClient => ({
  request: (request) => live(() => http.request(request)),
  close: () => http.close(),
});
