export { normalizeId } from './auth/authenticate.ts';
export { compose } from './compose.ts';
export { ingesterEnv, ingesterProblems, parseIngesterConfig } from './config.ts';
export { bodyTimeoutMs } from './webhook.ts';
export { ingestBody, storeWithinMs, type IngestResult } from './ingest/ingest.ts';
export { envelopeOf, type Rejected } from './ingest/rejected.ts';
