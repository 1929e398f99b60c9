import { resolve } from 'node:path';
import type { Action, Catalogue, Schedule } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { type Addresses, isLocked, runningUp } from '../data-dir/index.ts';
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
  /** Its address, without a last slash. @throws RelayError `up_not_running` when it is not known */
  readonly url: () => Promise<string>;
}

type Places = Pick<
  ActionsCliEnv,
  | 'PUSHER_TYPE_SLUG'
  | 'RUNNER_TYPE_SLUG'
  | 'PUSHER_URL'
  | 'RUNNER_URL'
  | 'PUSHER_PORT'
  | 'RUNNER_PORT'
  | 'DATA_DIR'
  | 'KAFKA_BROKERS'
>;

/**
 * Where a part of the installation listens: of the `up` of DATA_DIR, and of no other one; on a cluster without one, at the usual port of this
 * machine.
 * @throws RelayError `up_not_running`
 */
export const addressHere = async (
  { DATA_DIR, KAFKA_BROKERS }: Pick<Places, 'DATA_DIR' | 'KAFKA_BROKERS'>,
  part: keyof Addresses,
  port: number,
): Promise<string> => {
  if (KAFKA_BROKERS && !isLocked(resolve(DATA_DIR))) return `http://127.0.0.1:${port}`;
  const { addresses, dataDir: path } = await runningUp(DATA_DIR);
  const address = addresses[part];
  if (address !== null) return address;
  const problem = `its ${part} is off; set AUTH_TOKEN for it`;
  throw new RelayError('up_not_running', { details: { path, problem } });
};

/** Address of the message pusher. @throws RelayError `up_not_running` */
export const pusherAddress = async (
  env: Omit<Places, 'PUSHER_TYPE_SLUG' | 'RUNNER_TYPE_SLUG' | 'RUNNER_URL' | 'RUNNER_PORT'>,
) => env.PUSHER_URL ?? addressHere(env, 'pusher', env.PUSHER_PORT);

/** The services of an installation. */
export const servicesOf = (env: Places, { pusher, runner }: Catalogues): readonly ActionService[] => [
  {
    name: 'message-pusher',
    slug: env.PUSHER_TYPE_SLUG,
    catalogue: pusher,
    url: () => pusherAddress(env),
  },
  {
    name: 'action-runner',
    slug: env.RUNNER_TYPE_SLUG,
    catalogue: runner,
    url: async () => env.RUNNER_URL ?? addressHere(env, 'runner', env.RUNNER_PORT),
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
