import { busRightsOf, busUsers, toolRights, toolUser, type BusNames, type BusRight } from '@ranger-relay/contracts';

/** A user of the brokers and what it must be allowed to do. */
export interface UserRights {
  readonly user: string;
  readonly rights: readonly BusRight[];
}

/** Every user of an installation with the least that it needs. */
export const rightsOfAll = (names: BusNames): readonly UserRights[] => [
  ...busUsers.map((user) => ({ user, rights: busRightsOf(user, names) })),
  { user: toolUser, rights: toolRights(names) },
];
