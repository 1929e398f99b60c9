import type { DataRoute } from '../call.ts';
import { categories, events, file, me, newEventTypes, oldEventTypes } from './events.ts';
import { observations } from './observations.ts';
import { source, sourceSubjects, subjectGroups, subjectSources } from './sources.ts';

/** Every path, whole and with the slash at its end that the contract gives it. */
const routes: readonly (readonly [path: RegExp, route: DataRoute])[] = [
  [/^\/api\/v1\.0\/user\/me$/, me],
  [/^\/api\/v1\.0\/activity\/events\/eventtypes$/, oldEventTypes],
  [/^\/api\/v2\.0\/activity\/eventtypes$/, newEventTypes],
  [/^\/api\/v1\.0\/activity\/events\/categories$/, categories],
  [/^\/api\/v1\.0\/activity\/events$/, events],
  [/^\/api\/v1\.0\/activity\/event\/[^/]+\/file\/[^/]+\/.*$/, file],
  [/^\/api\/v1\.0\/subjectgroups$/, subjectGroups],
  [/^\/api\/v1\.0\/subjectsources$/, subjectSources],
  [/^\/api\/v1\.0\/observations$/, observations],
  [/^\/api\/v1\.0\/source\/([^/]+)\/$/, source],
  [/^\/api\/v1\.0\/source\/([^/]+)\/subjects$/, sourceSubjects],
];

/** The route of a path, and what its pattern took out of it. */
export const dataRouteOf = (path: string): { readonly route: DataRoute; readonly key: string } | undefined => {
  for (const [pattern, route] of routes) {
    const match = pattern.exec(path);
    if (match) return { route, key: decodeURIComponent(match[1] ?? '') };
  }
  return undefined;
};
