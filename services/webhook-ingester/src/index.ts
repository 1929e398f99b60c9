export { normalizeId } from './auth/tokens.ts';
export { compose, type IngesterDependencies } from './compose.ts';
export { ingesterEnv, ingesterProblems, parseIngesterConfig, type IngesterConfig } from './config.ts';
export { bodyTimeoutMs } from './webhook.ts';
export { envelopeOf } from './ingest/envelope.ts';
export { ingestBody, storeWithinMs, type IngestDependencies, type IngestResult } from './ingest/ingest.ts';
export type { Rejected } from './ingest/intake.ts';
export type { Integration, LoadIntegration } from './parts.ts';
export type { ActivitySink } from './activity-reporter.ts';
