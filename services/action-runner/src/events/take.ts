import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { ChangeAnswer } from '@ranger-relay/platform';
import { asNewPosting, createEventsOf, type Posting } from './create.ts';
import { unlessLeft } from './failing.ts';
import { itemOf } from './map-event.ts';
import { beginEvent, DroppedByPlatform, type OneEvent } from './one-event.ts';
import { isTimeUp, type TakingDependencies } from './parts.ts';
import { type EventRecord, isCurrent, loadRecord, mayBePosted, postedRecord, saveRecord } from './record.ts';
import type { SiteEvent, SiteFile } from './site-event.ts';
import { sendChanges } from './update.ts';

/** Largest file that is transferred, bytes. */
export const largestFile = 20 * 1_048_576;

/** Result for one file: transferred, left out for good, or retried when the event changes again. */
type FileEnd = 'taken' | 'too_large' | 'failed';

/** Returns a failure that concerns only this file and does not stop the run; rethrows failures that do. */
const ownFailure = (
  { log, signal }: TakingDependencies,
  event: SiteEvent,
  file: SiteFile,
  error: unknown,
): RelayError => {
  signal.throwIfAborted();
  if (!isRelayError(error) || error.code === 'internal') throw error;
  if (error.code !== 'site_file_too_large')
    log.warn({ err: error, event: event.id, file: file.id }, 'a file could not be copied');
  return error;
};

const passOn = async (parts: TakingDependencies, one: OneEvent, file: SiteFile): Promise<FileEnd> => {
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

const warnOfSize = ({ feed }: TakingDependencies, { id, serial }: SiteEvent, file: SiteFile): void =>
  feed.warning('A file is larger than 20 MB and is not copied', {
    event: id,
    serial_number: serial,
    file: file.id,
  });

/** The files of an event that were not transferred yet. */
const filesLeft = (
  { config }: Pick<TakingDependencies, 'config'>,
  { files }: Pick<SiteEvent, 'files'>,
  { seen_file_ids: ids }: Pick<EventRecord, 'seen_file_ids'>,
): readonly SiteFile[] => {
  if (!config.include_attachments) return [];
  const seen = new Set(ids);
  return files.filter(({ id }) => !seen.has(id) && seen.add(id));
};

/**
 * Transfers the files of an event, one upload each (platform contract, `pull_events`). Files that are too large are reported and count as
 * seen; failed files are retried when the event changes again.
 * @throws RelayError of the state, and of posting an event again that the platform has lost
 */
const sendFiles = async (parts: TakingDependencies, one: OneEvent): Promise<void> => {
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

/** Removes repeats; of an event that occurs twice, the later one counts. */
const eachOnce = (events: readonly SiteEvent[]): SiteEvent[] => [
  ...new Map(events.map((event) => [event.id, event])).values(),
];

/** Dead-letters an event without a time: it cannot be posted, because the platform would refuse it. */
const deadLetterTimeless = async (parts: TakingDependencies, event: SiteEvent): Promise<void> => {
  parts.refusals.count += 1;
  const item = { provider_metadata: { source_event_url: `${parts.site.root}/events/${event.id}` } };
  await parts.deadLetter({ event, item, reason: 'the event has neither a time nor a date of creation' });
  await saveRecord(parts.state, event.id, { ...postedRecord(event), updated_at: event.updatedAt });
};

/** Builds the post of an event; undefined when it has no time. */
const postingOf = (
  parts: TakingDependencies,
  event: SiteEvent,
  record: EventRecord | undefined,
): Posting | undefined => {
  const item = itemOf(event, { root: parts.site.root, displays: parts.displays });
  if (item === undefined) return undefined;
  const posted = postedRecord(event);
  const isWhole = event.notes.length === 0 && filesLeft(parts, event, posted).length === 0;
  return {
    event,
    item,
    record: {
      ...posted,
      updated_at: isWhole ? event.updatedAt : null,
      ...(record?.attempt !== undefined && { attempt: record.attempt }),
    },
    isRepeat: record !== undefined && mayBePosted(record),
  };
};

type KnownRecord = EventRecord & { readonly object_id: string };

const hasObject = (record: EventRecord | undefined): record is KnownRecord =>
  record !== undefined && record.object_id !== null;

/** The version is saved last, so that a crash before that leaves the work to the next run. */
const sendRest = async (parts: TakingDependencies, event: SiteEvent, record: KnownRecord): Promise<void> => {
  if (isCurrent(record, event)) return;
  const one = beginEvent(parts, event, record);
  await sendChanges(parts, one);
  await sendFiles(parts, one);
  if (one.record().updated_at !== event.updatedAt) await one.save({ ...one.record(), updated_at: event.updatedAt });
};

/**
 * Sends what the platform lacks of an event that it has; an event that it turns out to have dropped is posted anew.
 * @throws LeftForLater; RelayError of the platform, the state and the bus
 */
const updateEvent = async (parts: TakingDependencies, event: SiteEvent, record: KnownRecord): Promise<void> => {
  try {
    await sendRest(parts, event, record);
  } catch (error) {
    const posting = error instanceof DroppedByPlatform ? postingOf(parts, event, undefined) : undefined;
    if (!posting) throw error;
    const posted = (await createEventsOf(parts, [asNewPosting(posting, parts)])).get(event.id);
    if (hasObject(posted)) await sendRest(parts, event, posted);
  }
};

/**
 * Transfers at most 100 events: first the new ones, in one list, then the remaining changes of each.
 * @returns false when the time was up before the end; some events may have been transferred anyway
 * @throws RelayError of the site, the platform, the state and the bus
 */
const takeEvents = async (parts: TakingDependencies, list: readonly SiteEvent[]): Promise<boolean> => {
  const events = eachOnce(list);
  const records = new Map<string, EventRecord | undefined>(
    await Promise.all(events.map(async ({ id }) => [id, await loadRecord(parts.state, id)] as const)),
  );
  const left = events.filter((event) => {
    const record = records.get(event.id);
    return !record || !isCurrent(record, event);
  });
  parts.tally.events_skipped_unchanged += events.length - left.length;

  const postings: Posting[] = [];
  for (const event of left.filter(({ id }) => !hasObject(records.get(id)))) {
    const posting = postingOf(parts, event, records.get(event.id));
    if (posting) postings.push(posting);
    else await deadLetterTimeless(parts, event);
  }
  const taken = await createEventsOf(parts, postings);
  let updates = 0;
  for (const event of left) {
    const record = taken.get(event.id) ?? records.get(event.id);
    if (!hasObject(record) || isCurrent(record, event)) continue;
    // When reading a page uses up a run's time, each run still updates at least one event.
    if (updates > 0 && isTimeUp(parts)) return false;
    updates += 1;
    await updateEvent(parts, event, record).catch(unlessLeft);
  }
  return true;
};

/**
 * Transfers the events of a page; events that the platform fails on wait for the end of the run.
 * @returns and throws as `takeEvents`
 */
export const takeShown = async (parts: TakingDependencies, list: readonly SiteEvent[]): Promise<boolean> => {
  const { failing } = parts;
  for (const event of list) if (failing.has(event.id)) await failing.renew(event);
  return takeEvents(
    parts,
    list.filter(({ id }) => !failing.has(id)),
  );
};

/** Retries the events that the platform failed on in earlier runs, one by one. @throws as `takeEvents` */
export const takeFailing = async (parts: TakingDependencies): Promise<void> => {
  const { failing } = parts;
  for (const id of failing.known) {
    const event = failing.latest(id);
    if (!event || isTimeUp(parts)) continue;
    await takeEvents(parts, [event]);
    if (!failing.wasLeft(id)) await failing.passed(id);
  }
};
