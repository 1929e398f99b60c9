import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { ChangeAnswer } from '@ranger-relay/platform';
import type { OneEvent } from './one-event.ts';
import type { TakingParts } from './parts.ts';
import type { EventRecord } from './record.ts';
import type { SiteEvent, SiteFile } from './site-event.ts';

/** Largest file that is taken over, bytes. */
export const largestFile = 20 * 1_048_576;

/** What became of one file: taken, left out for good, or to be tried when the event changes again. */
type FileEnd = 'taken' | 'too_large' | 'failed';

/** A failure of this file alone, which ends nothing else; a run that is to end does. */
const ownFailure = ({ log, signal }: TakingParts, event: SiteEvent, file: SiteFile, error: unknown): RelayError => {
  signal.throwIfAborted();
  if (!isRelayError(error) || error.code === 'internal') throw error;
  if (error.code !== 'site_file_too_large')
    log.warn({ err: error, event: event.id, file: file.id }, 'a file could not be taken over');
  return error;
};

const passOn = async (parts: TakingParts, one: OneEvent, file: SiteFile): Promise<FileEnd> => {
  const { site, events, integrationId, signal } = parts;
  const { url, name, type } = file;
  const failed = (error: unknown): RelayError => ownFailure(parts, one.event, file, error);
  const bytes = await site.fetchBytes(url, largestFile, { signal }).catch(failed);
  if (isRelayError(bytes)) return bytes.code === 'site_file_too_large' ? 'too_large' : 'failed';
  const attach = (id: string): Promise<ChangeAnswer> =>
    events
      .attach(integrationId, id, { name, type, bytes }, { signal })
      .catch((error: unknown) => ({ kind: 'refused', reason: failed(error).message }));
  return (await one.call(attach)).kind === 'accepted' ? 'taken' : 'failed';
};

const warnOfSize = ({ feed }: TakingParts, { id, serial }: SiteEvent, file: SiteFile): void =>
  feed.warning('A file is larger than 20 MB and is not taken over', {
    event: id,
    serial_number: serial,
    file: file.id,
  });

/** Files of an event that were not taken over yet. */
export const filesLeft = (
  { config }: Pick<TakingParts, 'config'>,
  { files }: Pick<SiteEvent, 'files'>,
  { seen_file_ids: ids }: Pick<EventRecord, 'seen_file_ids'>,
): readonly SiteFile[] => {
  if (!config.include_attachments) return [];
  const seen = new Set(ids);
  return files.filter(({ id }) => !seen.has(id) && seen.add(id));
};

/**
 * Takes over the files of an event, one upload each (platform contract, `pull_events`): larger ones are told of and count as seen, failed ones
 * are tried when the event changes again.
 * @throws RelayError of the state, and of posting an event again that the platform has lost
 */
export const sendFiles = async (parts: TakingParts, one: OneEvent): Promise<void> => {
  const { event } = one;
  for (const file of filesLeft(parts, event, one.record())) {
    const end = await passOn(parts, one, file);
    if (end === 'failed') continue;
    if (end === 'too_large') warnOfSize(parts, event, file);
    else parts.tally.attachments_forwarded += 1;
    const record = one.record();
    await one.save({ ...record, seen_file_ids: [...record.seen_file_ids, file.id] });
  }
};
