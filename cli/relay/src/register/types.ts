import { runnerEnv, runnerType } from '@ranger-relay/action-runner';
import type { TypeSpec } from '@ranger-relay/actions';
import { pusherEnv, pusherType } from '@ranger-relay/message-pusher';
import { parseEnv } from '@ranger-relay/runtime';

/** Services that have an integration type to register. */
export const typeServices = ['action-runner', 'message-pusher'] as const;

/** One of them. */
export type TypeService = (typeof typeServices)[number];

const runner = (source: NodeJS.ProcessEnv): TypeSpec => {
  const env = parseEnv(runnerEnv, source);
  return { ...runnerType(env), slug: env.INTEGRATION_TYPE_SLUG, serviceUrl: env.INTEGRATION_SERVICE_URL };
};

const pusher = (source: NodeJS.ProcessEnv): TypeSpec => {
  const env = parseEnv(pusherEnv, source);
  return { ...pusherType(env), slug: env.INTEGRATION_TYPE_SLUG, serviceUrl: env.INTEGRATION_SERVICE_URL };
};

const idOf = (schedule: string): string => schedule.split(':', 1)[0]?.trim() ?? '';

/**
 * What a service's type is registered with, from the environment that the service itself would read.
 * @param schedules `<action>:<crontab>`; they win over those of the environment
 * @throws RelayError `config_invalid`
 */
export const typeOf = (service: TypeService, source: NodeJS.ProcessEnv, schedules: readonly string[]): TypeSpec => {
  const spec = service === 'action-runner' ? runner(source) : pusher(source);
  const given = new Set(schedules.map(idOf));
  return { ...spec, schedules: [...(spec.schedules ?? []).filter((each) => !given.has(idOf(each))), ...schedules] };
};
