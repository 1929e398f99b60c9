export { normalizeId } from './auth/tokens.ts';
export { compose } from './compose.ts';
export { ingesterEnv, ingesterProblems, parseIngesterConfig } from './config.ts';
export { bodyTimeoutMs } from './webhook.ts';
export { envelopeOf } from './ingest/envelope.ts';
export { ingestBody, storeWithinMs, type IngestResult } from './ingest/ingest.ts';
export type { Rejected } from './ingest/intake.ts';
