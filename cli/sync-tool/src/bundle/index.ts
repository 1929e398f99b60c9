export type * from './model.ts';
export { labelFor } from './labels/label.ts';
export { readBundle } from './read/read-bundle.ts';
export type { SampleCounts, Preset } from './sample/counts.ts';
export { writeContractSample } from './sample/contract-sample.ts';
export { edgeCases, type EdgeCase } from './sample/edge-cases.ts';
export { writeSampleBundle, type SampleOptions } from './sample/sample-bundle.ts';
export { summariseBundle, type BundleSummary } from './summary.ts';
