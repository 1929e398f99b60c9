import { basename } from 'node:path';
import { printable, type Shell } from '@ranger-relay/terminal';
import { recordPaths } from '../run/newest-record.ts';
import type { Note } from '../summary/write.ts';

/** The records that a call names, said aloud where it named a folder; a summary has the first of them. */
export const namedRecords = async (
  shell: Shell,
  named: readonly string[],
  host: string,
  note: Note,
): Promise<string[]> => {
  const records = await recordPaths(named, host, ({ path, folder, of }) =>
    shell.err(printable(`Run record: ${path}, the newest of ${of} in ${folder}`)),
  );
  const [first] = records;
  if (first !== undefined) note({ record: basename(first) });
  return records;
};
