export type {
  Changes,
  Choice,
  FormDocument,
  NewChoice,
  NewPatrolType,
  NewSubject,
  PatrolType,
  Progress,
  Site,
  Subject,
  SubjectGroup,
} from './port.ts';
export { maxIdsPerCall } from './records/ids.ts';
export { openSite, type SiteOptions } from './site.ts';
export type { SiteWait } from './wire/wire.ts';
