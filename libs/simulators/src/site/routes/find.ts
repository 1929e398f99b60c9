import { basicRoutes } from './basics.ts';
import type { Route } from './call.ts';
import { choiceRoutes } from './choices.ts';
import { configRoutes } from './config.ts';
import { formRoutes } from './form.ts';
import { groupRoutes } from './groups.ts';
import { patrolRoutes } from './patrols.ts';
import { subjectRoutes } from './subjects.ts';
import { typeRoutes } from './types.ts';

const routes: readonly Route[] = [
  ...basicRoutes,
  ...typeRoutes,
  ...patrolRoutes,
  ...formRoutes,
  ...choiceRoutes,
  ...subjectRoutes,
  ...groupRoutes,
  ...configRoutes,
];

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The route of a path below `/api/v1.0/`, and what its path caught; the reason when there is none. */
export const findRoute = (method: string, path: string): { route: Route; key: string } | 'no_path' | 'no_method' => {
  const here = routes.filter((route) => route.path.test(path));
  const route = here.find((route) => route.method === method);
  if (route) return { route, key: decoded(route.path.exec(path)?.[1] ?? '') };
  return here.length > 0 ? 'no_method' : 'no_path';
};
