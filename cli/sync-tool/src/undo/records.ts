import { resolve } from 'node:path';
import { checkSite, loadRecord, type LoadedRecord } from '../run/record.ts';

const ageOf = ({ record, files }: LoadedRecord): string => `${record.started_at} ${files.record}`;

const newestFirst = (a: LoadedRecord, b: LoadedRecord): number => (ageOf(a) < ageOf(b) ? 1 : -1);

/** Loads records of one site, each once, newest first. @throws RelayError `record_invalid` */
export const loadRecords = async (identity: string, paths: readonly string[]): Promise<readonly LoadedRecord[]> => {
  const whole = new Set(paths.map((path) => resolve(path)));
  const loaded = await Promise.all([...whole].map((path) => loadRecord(path)));
  for (const each of loaded) checkSite(each, identity);
  return loaded.toSorted(newestFirst);
};
