export { systemClock as simulatorClock, fastClock, type Clock, type Timer } from './time/clock.ts';
export { seeded, systemRandom as simulatorRandom, type Random } from './time/random.ts';
export { startPlatform, type PlatformOptions, type PlatformSimulator } from './platform/start.ts';
export type { Fault, Switch, ActiveSwitch } from './switches/fault.ts';
export type { SwitchBoard } from './switches/fault-registry.ts';
export type { IngestLog, IngestLogPage, IngestLogQuery } from './platform/ingest-log.ts';
export type { IngestLogEntry, ItemKind, Outcome, SeenEntry } from './platform/ingest-log.ts';
export type { Integration, IntegrationBook, IntegrationChange } from './platform/integrations.ts';
export type { PlatformStats } from './platform/stats.ts';
export type { TokenClient, TokenSettings } from './platform/tokens.ts';
export { createFleet, type Fleet, type FleetEvent, type FleetOptions } from './fleet/fleet.ts';
export type { BadReason } from './fleet/bad-events.ts';
export type { Habits } from './fleet/ranger.ts';
export { deviceEvent, type DeviceEvent, type Envelope, type Point, type Status } from './fleet/device-event.ts';
export { createVendor, type Vendor } from './vendor/vendor.ts';
export type { Misbehaviour, VendorAuth, VendorOptions } from './vendor/options.ts';
export type { Answered, VendorStats } from './vendor/tally.ts';
export { afterFailure, healthyFeed, isSuspended, type FeedState } from './vendor/feed.ts';
export { startVendorInbound, type InboundOptions, type InboundSimulator } from './inbound/start.ts';
export { inboundFaults } from './inbound/faults.ts';
export type { InboundMessage } from './inbound/check-message.ts';
export {
  fixtures,
  fixtureImei,
  heartbeatImei,
  regroup,
  type EnvelopeFixture,
  type FixtureName,
} from './fixtures/envelopes.ts';
export { rawBodies, type RawBodyName } from './fixtures/raw-bodies.ts';
export { createPusher, type Pushed, type Pusher, type PusherOptions } from './platform/push.ts';
export { envelopeMaker, malformedPushes, type PushEnvelope, type Spelling } from './platform/envelope.ts';
export { configEvents, type ConfigEvent } from './platform/config-events.ts';
export { freshSite, startSite, type FreshSiteOptions, type SiteOptions, type SiteSimulator } from './site/start.ts';
export { siteFaults } from './site/faults.ts';
export { formProblem } from './site/form/check.ts';
export type { LogEntry, RequestLog } from './site/log.ts';
export { allPermissions } from './site/permissions.ts';
export type { Seed } from './site/seed.ts';
export type { Choice, Group, Patrol, PatrolType, Subject, Token } from './site/state/records.ts';
export type { SiteState } from './site/state/state.ts';
export { switchValues, type SiteSwitches } from './site/switches.ts';
export type { TokenBook, TokenChange } from './site/tokens.ts';
export { startSiteData, type SiteDataOptions, type SiteDataSimulator } from './site-data/start.ts';
export type {
  Category as SiteCategory,
  Event as SiteEvent,
  EventType as SiteEventType,
  Observation as SiteObservation,
  SiteData,
  Source as SiteSource,
  Subject as SiteSubject,
  SubjectGroup as SiteSubjectGroup,
  SubjectSource as SiteSubjectSource,
  User as SiteUser,
  Volume as SiteVolume,
} from './site-data/records.ts';
export type { DataSwitches as SiteDataSwitches } from './site-data/switches.ts';
export { volumeId } from './site-data/volume.ts';
