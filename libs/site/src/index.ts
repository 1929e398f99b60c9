export { readAddress } from './address.ts';
export type {
  Choice,
  EventType,
  FormDocument,
  PatrolType,
  Site,
  SiteUser,
  Subject,
  SubjectGroup,
  Team,
  UnreadableRow,
} from './port.ts';
export {
  dashedId,
  defaultWord,
  identityOf,
  managedBy,
  matchedBy,
  plainId,
  subjectKeys,
  wordForm,
  type SubjectKeys,
} from './records/identity.ts';
export { bySuitability, maxIdsPerCall } from './records/ids.ts';
export type { SiteCredentials, SitePage, SiteQuery, SiteReader } from './pull/port.ts';
export { openSiteReader } from './pull/reader.ts';
export { lacksPermission, openSite } from './site.ts';
