export { normalizeId } from './auth/identity.ts';
export { compose, type IngesterDependencies } from './compose.ts';
export { ingesterEnv, ingesterProblems, parseIngesterConfig, type IngesterConfig } from './config.ts';
export { bodyTimeoutMs } from './webhook.ts';
export { envelopeOf } from './ingest/envelope.ts';
export {
  ingestBody,
  storeWithinMs,
  type IngestParts,
  type IngestRequest,
  type IngestResult,
  type Rejected,
} from './ingest/ingest.ts';
export type { Integration, LoadIntegration } from './integration.ts';
export type { ActivitySink } from './notices.ts';
