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
export type { ReadOptions, SiteCredentials, SiteQuery, SiteReader } from './pull/port.ts';
export { openSiteReader, type SiteReaderOptions } from './pull/reader.ts';
export { openSite, type SiteOptions } from './site.ts';
export type { SiteWait } from './wire/wire.ts';
