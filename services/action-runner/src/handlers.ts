export { authAction as action_auth } from './auth/auth.ts';
export { action_pull_events } from './events/pull-events.ts';
export { pullObservationsAction as action_pull_observations } from './observations/pull-observations.ts';
export { showPermissionsAction as action_show_permissions } from './permissions/show-permissions.ts';
