import { resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { loadRecord, type LoadedRecord } from '../run/record.ts';

const ageOf = ({ record, files }: LoadedRecord): string => `${record.started_at} ${files.record}`;

const newestFirst = (a: LoadedRecord, b: LoadedRecord): number => (ageOf(a) < ageOf(b) ? 1 : -1);

/** Loads records of one site, each once, newest first. @throws RelayError `record_invalid` */
export const loadRecords = async (host: string, paths: readonly string[]): Promise<readonly LoadedRecord[]> => {
  const whole = new Set(paths.map((path) => resolve(path)));
  const loaded = await Promise.all([...whole].map((path) => loadRecord(path)));
  for (const { record, files } of loaded)
    if (record.site !== host)
      throw new RelayError('record_invalid', {
        details: { path: files.record, reason: `it is of the site ${record.site}, not of ${host}` },
      });
  return loaded.toSorted(newestFirst);
};
