import type { Health } from '@ranger-relay/runtime';
import type { Bus } from './port.ts';

/**
 * Makes a process ready only while it can use the topics without which it cannot do what it promises. Problems of its other topics do not take
 * it out of service.
 */
export const requireTopics = (health: Health, bus: Pick<Bus, 'topicProblems'>, topics: readonly string[]): void => {
  const problems = (): string[] =>
    bus.topicProblems().flatMap(({ topic, problem }) => (topics.includes(topic) ? problem : []));
  health.addReadiness({
    // The readiness response shows the name, so it states the problem.
    get name() {
      return `topics: ${problems().join('; ')}`;
    },
    ok: () => problems().length === 0,
  });
};
