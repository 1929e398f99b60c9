import type { Action, Catalogue, Schedule } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import type { ActionsCliEnv } from './env.ts';

/** The actions of the services, as their handlers define them. */
export interface Catalogues {
  readonly pusher: Catalogue;
  readonly runner: Catalogue;
  /** Of the runner's pull actions. */
  readonly schedules: readonly Schedule[];
}

/** A service with actions, and its address. */
export interface ActionService {
  readonly name: 'message-pusher' | 'action-runner';
  /** Integration type that it serves. */
  readonly slug: string;
  readonly catalogue: Catalogue;
  /** Without a last slash. */
  readonly url: string;
}

type Places = Pick<
  ActionsCliEnv,
  'PUSHER_TYPE_SLUG' | 'RUNNER_TYPE_SLUG' | 'PUSHER_URL' | 'RUNNER_URL' | 'PUSHER_PORT' | 'RUNNER_PORT'
>;

const here = (port: number): string => `http://127.0.0.1:${port}`;

/** The services of an installation. */
export const servicesOf = (env: Places, { pusher, runner }: Catalogues): readonly ActionService[] => [
  {
    name: 'message-pusher',
    slug: env.PUSHER_TYPE_SLUG,
    catalogue: pusher,
    url: env.PUSHER_URL ?? here(env.PUSHER_PORT),
  },
  {
    name: 'action-runner',
    slug: env.RUNNER_TYPE_SLUG,
    catalogue: runner,
    url: env.RUNNER_URL ?? here(env.RUNNER_PORT),
  },
];

/** The service whose actions integrations of a type have. @throws RelayError `integration_type_unserved` */
export const serviceOfType = (services: readonly ActionService[], integration: string, type: string): ActionService => {
  const service = services.find(({ slug }) => slug === type);
  if (service) return service;
  const slugs = services.map(({ slug }) => slug).join(' and ');
  throw new RelayError('integration_type_unserved', { details: { integration, type, slugs } });
};

/** An action of a service by its id. @throws RelayError `action_not_of_type`, which names the existing ones */
export const actionOfService = ({ slug, catalogue }: ActionService, id: string): Action => {
  const action = catalogue.get(id);
  if (action) return action;
  const actions = catalogue.actions.map((each) => each.id).join(', ');
  throw new RelayError('action_not_of_type', { details: { type: slug, action: id, actions } });
};
