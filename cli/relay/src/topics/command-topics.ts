import { commandsTopic, type TopicSpec } from '@ranger-relay/contracts';

/** Integration types of the services with actions. */
export interface TypeSlugs {
  readonly PUSHER_TYPE_SLUG: string;
  readonly RUNNER_TYPE_SLUG: string;
}

/** Topics that commands of the services with actions travel on. */
export const commandTopics = ({ PUSHER_TYPE_SLUG, RUNNER_TYPE_SLUG }: TypeSlugs): readonly TopicSpec[] =>
  [...new Set([PUSHER_TYPE_SLUG, RUNNER_TYPE_SLUG])].map(commandsTopic);
