export type {
  Changes,
  Choice,
  CreatedSubject,
  FormDocument,
  NewChoice,
  NewPatrolType,
  NewSubject,
  PatrolType,
  PatrolTypeUse,
  Progress,
  Site,
  SiteUser,
  Subject,
  SubjectGroup,
} from './port.ts';
export { maxIdsPerCall } from './records/ids.ts';
export type { ReadOptions, SiteCredentials, SitePage, SiteQuery, SiteReader } from './pull/port.ts';
export { openSiteReader, type SiteReaderOptions } from './pull/reader.ts';
export { openSite, type SiteOptions } from './site.ts';
export { isExactNumber, parseExactJson } from './exact-json.ts';
export type { SiteWait } from './wire/pacer.ts';
