import { type RecordedChange, recordedChangeSchema } from '@ranger-relay/contracts';
import { parseExactJson, toRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { type LineWriter, openLines, type RunFiles } from './files.ts';

/** Sends each write between its intent and its result in the journal. */
export interface Writes {
  /**
   * @param send returns the created object, or its id, or null
   * @throws what `send` throws, after the journal has recorded it
   */
  write(change: RecordedChange, send: () => Promise<Created | string | null>): Promise<string | null>;
}

/** A created object. */
export interface Created {
  readonly id: string;
  /** The values that the site itself gave it. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
  /** Set where the call was repeated after a lost answer, so that the site may have a second one. */
  readonly maybe_twice?: true | undefined;
}

/** Classifies a failure. An unexpected error says nothing about the site, so the outcome is unknown and the site has to be read. */
const outcomeOf = (error: unknown): Outcome => {
  const { code, ambiguous } = toRelayError(error);
  return { outcome: ambiguous || code === 'internal' ? 'unknown' : 'refused', reason: code };
};

/** Creates writes that are recorded in the lines of a journal: each intent and each result is on disk before the run continues. */
export const createWrites = (lines: Pick<LineWriter, 'append'>): Writes => {
  let next = 0;
  return {
    async write(change, send) {
      const intent = next++;
      const end = (outcome: Outcome): Promise<void> => lines.append(JSON.stringify({ result: intent, ...outcome }));
      await lines.append(JSON.stringify({ intent, change }));
      const sent = await send().catch(async (error: unknown) => {
        await end(outcomeOf(error));
        throw error;
      });
      const made = typeof sent === 'object' && sent !== null ? sent : { id: sent };
      await end({ outcome: 'done', ...made });
      return made.id;
    },
  };
};

/** The outcome of a write. `unknown`: the write was sent, and its result is not known. */
export type Outcome =
  | ({ readonly outcome: 'done'; readonly id: string | null } & Omit<Created, 'id'>)
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

const lineSchema = z.union([
  z.object({ intent: z.number().int(), change: recordedChangeSchema }),
  z.object({
    result: z.number().int(),
    outcome: z.literal('done'),
    id: z.string().nullable(),
    given: z.record(z.string(), z.unknown()).optional(),
    maybe_twice: z.literal(true).optional(),
  }),
  z.object({ result: z.number().int(), outcome: z.enum(['refused', 'unknown']), reason: z.string() }),
]);

/** The source of truth while a run is in progress. */
export interface Journal extends Writes {
  close(): Promise<void>;
}

/** Opens the journal of a run. */
export const openJournal = async ({ disk, journal }: RunFiles): Promise<Journal> => {
  const lines = await openLines(disk, journal);
  return { ...createWrites(lines), close: () => lines.close() };
};

/**
 * Adds outcomes that were found later to the journal of a run that has ended.
 * @throws RelayError `output_not_writable`
 */
export const addOutcomes = async ({ disk, journal }: RunFiles, entries: readonly Entry[]): Promise<void> => {
  if (entries.length === 0) return;
  const lines = await openLines(disk, journal);
  // The journal of a killed run may end within a line.
  await lines.append('');
  for (const { number, outcome } of entries) await lines.append(JSON.stringify({ result: number, ...outcome }));
  await lines.close();
};

/** One write in a journal; without an outcome it is unknown whether the write reached the site. */
export interface Entry {
  readonly number: number;
  readonly change: RecordedChange;
  readonly outcome: Outcome | undefined;
}

const parseLine = (line: string): z.infer<typeof lineSchema> | undefined => {
  try {
    return lineSchema.parse(parseExactJson(line));
  } catch {
    return undefined;
  }
};

/** Reads a journal; ignores a truncated last line. */
export const readJournal = (text: string): readonly Entry[] => {
  const entries = new Map<number, Entry>();
  for (const each of text.split('\n')) {
    const line = parseLine(each);
    if (!line) continue;
    if ('intent' in line) entries.set(line.intent, { number: line.intent, change: line.change, outcome: undefined });
    else {
      const { result, ...outcome } = line;
      const entry = entries.get(result);
      if (entry) entries.set(result, { ...entry, outcome });
    }
  }
  return [...entries.values()];
};

const asMade = (change: RecordedChange, { id, given }: Extract<Outcome, { outcome: 'done' }>): RecordedChange => {
  if (change.action !== 'created' || id === null) return change;
  return { ...change, id, ...(given ? { given } : {}) } as RecordedChange;
};

/** Whether the site may have a second object of a creation. */
export const isMaybeTwice = ({ outcome }: Entry): boolean =>
  outcome?.outcome === 'done' && outcome.maybe_twice === true;

/** The changes that a record lists: writes that succeeded, and writes that may have succeeded. */
export const changesOf = (entries: readonly Entry[]): RecordedChange[] =>
  entries.flatMap(({ change, outcome }) => {
    if (outcome?.outcome === 'refused') return [];
    return [outcome?.outcome === 'done' ? asMade(change, outcome) : change];
  });
