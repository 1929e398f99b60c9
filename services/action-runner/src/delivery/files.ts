import type { Batch } from '@ranger-relay/bus';
import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { Events } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { SiteReader } from '@ranger-relay/site';
import type { SiteFile } from '../mapping/site-event.ts';
import type { Calls } from './calls.ts';
import type { ActivityReporter } from './activity-reporter.ts';
import type { FileBackoff } from './file-backoff.ts';
import type { Task } from './task.ts';

/** Largest file that is copied, bytes. */
export const largestFile = 20 * 1_048_576;

/** Opens the site of an integration with its present credentials. @throws RelayError of its configuration */
export type OpenSite = (integrationId: string, signal: AbortSignal) => Promise<Pick<SiteReader, 'fetchBytes'>>;

/** Opens a site at its first file, and not again. */
export const openedOnce = (open: OpenSite): OpenSite => {
  let opened: ReturnType<OpenSite> | undefined;
  return (...about) => (opened ??= open(...about));
};

/** Dependencies of copying files. */
export interface FileDependencies extends Pick<Context, 'log'> {
  readonly events: Pick<Events, 'attach'>;
  readonly openSite: OpenSite;
  readonly fileBackoff: FileBackoff;
  readonly reporter: ActivityReporter;
}

/** The files of an event wait for their site. */
export class FilesDeferred extends Error {
  override readonly name = 'FilesDeferred';
  /** How long, ms. */
  readonly afterMs: number;
  /** Undefined when the site was not asked. */
  readonly failure: RelayError | undefined;

  constructor(afterMs: number, failure?: RelayError) {
    super('the site returns no files for now', { cause: failure });
    this.afterMs = afterMs;
    this.failure = failure;
  }
}

const filesLeft = ({ with_files: withFiles, event, stored }: Task): readonly SiteFile[] => {
  const seen = new Set(stored.value().seen_file_ids);
  return withFiles ? event.files.filter(({ id }) => !seen.has(id) && seen.add(id)) : [];
};

/** Whether the platform lacks files of the event. */
export const hasFilesLeft = (task: Task): boolean => filesLeft(task).length > 0;

/**
 * Copies the files of an event that the platform lacks, one upload each. What the site or the platform refuses is tried again when the event
 * changes; a file that is too large counts as seen.
 * @throws FilesDeferred when the site, or the platform about it, does not answer; CallFailed; RelayError of the state; the reason of the signal
 */
export const sendFiles = async (
  parts: FileDependencies & Pick<Batch, 'apart'>,
  calls: Calls,
  objectId: string,
  task: Task,
): Promise<void> => {
  const { log, events, openSite, fileBackoff, reporter, apart } = parts;
  const { signal, ref } = calls;
  const { event, stored } = task;

  const fetched = async ({ url }: SiteFile): Promise<Uint8Array | RelayError> => {
    const { integrationId } = ref;
    const afterMs = fileBackoff.waitOf(integrationId, apart);
    if (afterMs > 0) throw new FilesDeferred(afterMs);
    let isOpen = false;
    try {
      const site = await openSite(integrationId, signal);
      isOpen = true;
      const bytes = await site.fetchBytes(url, largestFile, { signal });
      fileBackoff.answered(integrationId);
      return bytes;
    } catch (error) {
      signal.throwIfAborted();
      if (!isRelayError(error) || error.code === 'internal') throw error;
      if (!isOpen || error.next === 'retry') throw new FilesDeferred(fileBackoff.failed(integrationId), error);
      fileBackoff.answered(integrationId);
      return error;
    }
  };

  /** Whether the file counts as seen. */
  const isSettled = async (file: SiteFile): Promise<boolean> => {
    const bytes = await fetched(file);
    const about = { integration_id: ref.integrationId, event: event.id, file: file.id };
    if (isRelayError(bytes, 'site_file_too_large')) {
      reporter.warn(ref.integrationId, 'A file is larger than 20 MB and is not copied', {
        event: event.id,
        serial_number: event.serial,
        file: file.id,
      });
      return true;
    }
    if (isRelayError(bytes)) {
      log.warn({ ...about, err: bytes }, 'a file could not be copied');
      return false;
    }
    const { name, type } = file;
    const answer = await calls.make((options) =>
      events.attach(ref.integrationId, objectId, { name, type, bytes }, options),
    );
    if (answer.kind !== 'accepted') log.warn({ ...about, answer: answer.kind }, 'the platform did not take a file');
    return answer.kind === 'accepted';
  };

  for (const file of filesLeft(task)) {
    if (!(await isSettled(file))) continue;
    const record = stored.value();
    await stored.save({ ...record, seen_file_ids: [...record.seen_file_ids, file.id] });
  }
};
