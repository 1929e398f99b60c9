import { commandsTopic, type BusUser, type TopicSpec } from '@ranger-relay/contracts';

/** Integration types of the services with actions. */
export interface TypeSlugs {
  readonly PUSHER_TYPE_SLUG: string;
  readonly RUNNER_TYPE_SLUG: string;
  /** The topic of a service whose commands travel elsewhere. */
  readonly INTEGRATION_COMMANDS_TOPIC?: string | undefined;
}

/** Topics that commands of the services with actions travel on. */
export const commandTopics = ({
  PUSHER_TYPE_SLUG,
  RUNNER_TYPE_SLUG,
  INTEGRATION_COMMANDS_TOPIC: name,
}: TypeSlugs): readonly TopicSpec[] => {
  const served: readonly (readonly [slug: string, user: BusUser])[] = [
    [PUSHER_TYPE_SLUG, 'message-pusher'],
    [RUNNER_TYPE_SLUG, 'action-runner'],
  ];
  const specs = [...Map.groupBy(served, ([slug]) => slug)].map(([slug, its]) =>
    commandsTopic(
      slug,
      its.map(([, user]) => user),
    ),
  );
  return name === undefined ? specs : [...specs, { ...commandsTopic(RUNNER_TYPE_SLUG), name }];
};
