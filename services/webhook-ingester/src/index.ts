export { normalizeId, tokensFileProblems } from './auth/tokens-file.ts';
export { compose } from './compose.ts';
export { ingesterEnv, ingesterProblems, ingesterWarnings } from './config.ts';
export { bodyTimeoutMs } from './webhook.ts';
export { ingestBody, storeWithinMs, type IngestResult } from './ingest/ingest.ts';
export type { Rejected } from './ingest/rejected.ts';
