import { isObject } from '@ranger-relay/errors';
import { cleanLabel } from '../labels/label.ts';
import { coverageOf } from '../manifest/read-manifest.ts';
import type { SampleRecord } from './write-bundle.ts';

/** A language requested for a sample. */
export interface SampleLanguage {
  readonly code: string;
  readonly name: string;
  readonly is_default: boolean;
}

const vocabularies: ReadonlySet<string> = new Set([
  'transports',
  'patrol_classes',
  'mandates',
  'stations',
  'teams',
  'patrol_attributes',
]);

/** Counts the labels of vocabulary records and options by language while they are written. */
export class CoverageCount {
  readonly #labelled = new Map<string, number>();
  #total = 0;

  /** Adds a record of any kind; only vocabulary counts. */
  take(kind: string, record: SampleRecord): void {
    if (vocabularies.has(kind)) this.#takeOne(record);
  }

  /** The languages as listed in the manifest. */
  languages(languages: readonly SampleLanguage[]): readonly SampleRecord[] {
    const total = this.#total;
    return languages.map((language) => {
      const labelled = this.#labelled.get(language.code) ?? 0;
      return { ...language, labelled, total, coverage: coverageOf(labelled, total) };
    });
  }

  #takeOne({ names, options }: SampleRecord): void {
    this.#total += 1;
    for (const [code, label] of Object.entries(names ?? {}))
      if (typeof label === 'string' && cleanLabel(label) !== '')
        this.#labelled.set(code, (this.#labelled.get(code) ?? 0) + 1);
    if (Array.isArray(options)) for (const option of options) if (isObject(option)) this.#takeOne(option);
  }
}
