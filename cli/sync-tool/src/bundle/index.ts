export type * from './model.ts';
export { problemsKept, problemsOf } from './findings.ts';
export { chooseLanguage, type ChosenLanguage } from './labels/choose-language.ts';
export { labelFor, type LabelFor } from './labels/label-for.ts';
export { labelOf, languageOrder } from './labels/label-of.ts';
export { readBundle, type ReadOptions } from './read/read-bundle.ts';
export type { ReadProgress } from './read/source.ts';
export { assertTimezone } from './time/assert-timezone.ts';
export {
  attributeChoiceField,
  attributeProperty,
  choiceValue,
  hasKey,
  normaliseKey,
  patrolTypeValue,
  shorten,
  valueLimits,
  type Keyed,
} from './values.ts';
export type { SampleCounts, Preset } from './sample/counts.ts';
export { writeContractSample } from './sample/contract-sample.ts';
export { edgeCases, type EdgeCase } from './sample/edge-cases.ts';
export { writeSampleBundle, type SampleOptions } from './sample/sample-bundle.ts';
export { summariseBundle, type BundleSummary } from './summary.ts';
