import { ok } from '../answers/envelope.ts';
import { heldPermissions } from '../permissions.ts';
import type { SiteSwitches } from '../switches.ts';
import type { Route, Run } from './call.ts';

const features = (kind: SiteSwitches['patrol_schemas']): object => {
  if (kind === 'no_features') return {};
  return { preview_features: { dark_mode: true, ...(kind === 'absent' ? {} : { patrol_schemas: kind === 'on' }) } };
};

/** The state of the site and its preview features (site contract, section 2); the only path for everybody. */
export const status = (switches: SiteSwitches) =>
  ok({ version: '1.0', server_time: null, ...features(switches.patrol_schemas) });

const me: Run = ({ token, switches }) => {
  const { id, username, is_superuser } = token;
  const permissions = switches.user_permissions ? { permissions: heldPermissions(token) } : {};
  return ok({ id, username, is_superuser, first_name: '', last_name: '', is_active: true, ...permissions });
};

/** Says the opposite of the preview feature, because it has nothing to do with it. */
const otherFeatures: Run = ({ switches }) =>
  ok([{ name: 'patrol_schemas', enabled: switches.patrol_schemas !== 'on' }]);

/** The token probe, and `features/` (section 2). */
export const basicRoutes: readonly Route[] = [
  { method: 'GET', path: /^user\/me\/?$/, run: me },
  { method: 'GET', path: /^features\/$/, run: otherFeatures },
];
