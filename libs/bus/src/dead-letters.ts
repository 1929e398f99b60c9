import { hash } from 'node:crypto';
import { deadLetterBodyLimit, topics, type DeadLetter, type DeadLetterKind } from '@ranger-relay/contracts';
import { cleanJson, cleanText, cutText, isRelayError, RelayError } from '@ranger-relay/errors';
import {
  createRateLimitedLog,
  mask,
  redact,
  type Clock,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
} from '@ranger-relay/runtime';
import type { Bus, BusRecord } from './port.ts';

/** Place of a record, and its headers, by which a dead letter of it may be one that was replayed. */
export interface RecordOrigin extends Pick<BusRecord, 'topic' | 'partition'>, Partial<Pick<BusRecord, 'headers'>> {
  readonly offset: bigint | string;
}

/** The reason and the content of a dead letter. */
export interface DeadLetterFacts {
  readonly kind: DeadLetterKind;
  readonly integrationId: string | null;
  /** A slug, usually a registered code. */
  readonly reason: string;
  readonly detail: string;
  /** The original bytes, or bytes that can be published again. */
  readonly body: Uint8Array;
  /** Size of the original, bytes, when `body` is only its start. */
  readonly size?: number;
  /** SHA-256 of the original in hex, when `body` is only its start. */
  readonly digest?: string;
  /** ms since 1970. */
  readonly receivedAt: number;
  /** Number of attempts, including the last one; default 1. */
  readonly attempts?: number;
  /** The record that failed. When it replays a dead letter, as its headers tell, the letter keeps its id and counts on. */
  readonly origin?: RecordOrigin | null;
  /** Headers as received; the writer masks secrets and bounds the sizes. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly rejected?: DeadLetter['rejected'];
  /**
   * A letter of the same identity has the same id. With an origin these parts are added to it, kind, reason and body; without one they stand in the
   * place of origin and body.
   */
  readonly identity?: readonly string[];
}

export interface WriteOptions {
  /** Key of the record; default: the integration, or the id of the letter without one. */
  readonly key?: string;
  /** Headers of the record. */
  readonly recordHeaders?: Readonly<Record<string, string>>;
  /** Deadline of all attempts together, ms; default 4000. */
  readonly deadlineMs?: number;
}

/** Writes dead letters, counts them, and logs them at a bounded rate. */
export interface DeadLetters {
  /**
   * Resolves when the letter is durable. Only what is larger than the catalogue allows is cut, as far as the broker wants it.
   * @throws RelayError of the bus; `bus_unavailable` too when the topic takes less than the catalogue allows: what failed is
   *   not handled then, and whoever holds it keeps it
   */
  write(facts: DeadLetterFacts, options?: WriteOptions): Promise<void>;
}

export interface DeadLetterDependencies {
  readonly bus: Pick<Bus, 'publish'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics<MetricName>;
  readonly log: Logger;
}

/** A dead letter that was replayed, with its attempts before the replay. */
export interface ReplayedLetter {
  readonly id: string;
  readonly attempts: number;
}

const letterHeader = 'dead-letter';

/** Headers of a record that replays a dead letter: a letter of that record is the same letter with more attempts. */
export const replayHeaders = ({ id, attempts }: ReplayedLetter): Record<string, string> => ({
  [letterHeader]: `${attempts} ${id}`,
});

/** The dead letter that a record replays; undefined for other records. */
export const replayedLetter = (headers: BusRecord['headers']): ReplayedLetter | undefined => {
  const [, attempts, id] = /^(\d{1,9}) (.{1,100})$/.exec(headers[letterHeader] ?? '') ?? [];
  return id === undefined ? undefined : { id, attempts: Number(attempts) };
};

const headersLimit = 50;
const headerLength = 500;
const detailLength = 1_000;
/** Sizes of a body that cannot be kept whole, tried in order while the letter is too large for the topic, bytes. */
const smallerBodies = [512 * 1024, 64 * 1024, 0];

/** A proxy's header may contain the request line, whose query may contain a token. */
const withoutQuery = (value: string): string => value.replace(/\?[^\s#]+/g, `?${mask}`);

const safeHeaders = (headers: DeadLetterFacts['headers'] = {}): Record<string, string> =>
  redact(
    Object.fromEntries(
      Object.entries(headers)
        .slice(0, headersLimit)
        .map(([name, value]) => [
          cutText(name, headerLength),
          withoutQuery(cutText(String(value ?? ''), 4 * headerLength)),
        ]),
    ),
    headerLength,
  );

const uuidOf = (identity: readonly unknown[]): string => {
  const hex = hash('sha256', JSON.stringify(identity));
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
};

const idOf = ({ origin, identity, kind, reason, body }: DeadLetterFacts, random: Random): string => {
  if (!origin) return identity ? uuidOf([...identity, kind, reason]) : random.uuid();
  const place = [origin.topic, origin.partition, String(origin.offset)];
  return uuidOf([...place, ...(identity ?? []), kind, reason, hash('sha256', body)]);
};

type KeptBody = Pick<DeadLetter, 'body_base64' | 'bytes' | 'sha256' | 'truncated'>;

/** The start of a body, with the size of the whole, and its digest if known. */
const keptBody = ({ body, size = body.byteLength, digest }: DeadLetterFacts): KeptBody => {
  const kept = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, deadLetterBodyLimit));
  const body_base64 = kept.toString('base64');
  if (size === kept.byteLength) return { body_base64 };
  const sha256 = size === body.byteLength ? hash('sha256', body) : digest;
  return { body_base64, bytes: size, ...(sha256 === undefined ? {} : { sha256 }), truncated: true };
};

/**
 * Builds a dead letter (contracts, dead letters). The same original that fails again for the same reason has the same id.
 * @param now ms since 1970
 */
export const deadLetterOf = (facts: DeadLetterFacts, { now, random }: { now: number; random: Random }): DeadLetter => {
  const { kind, integrationId, reason, detail, receivedAt, attempts = 1, origin, headers, rejected } = facts;
  const replayed = replayedLetter(origin?.headers ?? {});
  return {
    v: 1,
    id: replayed?.id ?? idOf(facts, random),
    kind,
    integration_id: integrationId,
    reason,
    detail: cleanText(detail, detailLength),
    received_at: new Date(receivedAt).toISOString(),
    failed_at: new Date(now).toISOString(),
    // Always more than before the replay, also when no call was made: a letter is outstanding again by that.
    attempts: replayed ? replayed.attempts + Math.max(1, attempts) : attempts,
    origin: origin ? { topic: origin.topic, partition: origin.partition, offset: String(origin.offset) } : null,
    headers: safeHeaders(headers),
    ...(rejected ? { rejected } : {}),
    ...keptBody(facts),
  };
};

/** Whether it holds the whole of what failed, and a topic as the catalogue wants it takes it. */
const isAllowedWhole = (letter: DeadLetter): boolean =>
  !letter.truncated && Buffer.byteLength(cleanJson(letter)) <= topics.deadLetters.maxRecordBytes;

/** The letter with at most `limit` bytes of its body. Without a body, it also drops the other members that may be long. */
const shrunk = (letter: DeadLetter, limit: number): DeadLetter => {
  const body = Buffer.from(letter.body_base64, 'base64');
  const whole = letter.truncated ? {} : { bytes: body.byteLength, sha256: hash('sha256', body) };
  const { rejected, ...rest } = letter;
  return {
    ...rest,
    ...(rejected && limit > 0 ? { rejected } : {}),
    headers: limit > 0 ? letter.headers : {},
    body_base64: body.subarray(0, limit).toString('base64'),
    ...whole,
    truncated: true,
  };
};

/** Creates the writer of one process or adapter. */
export const createDeadLetters = ({ bus, clock, random, metrics, log }: DeadLetterDependencies): DeadLetters => {
  const limitedLog = createRateLimitedLog({ log, clock });

  return {
    async write(facts, { key, recordHeaders, deadlineMs = 4_000 } = {}) {
      const letter = deadLetterOf(facts, { now: clock.now(), random });
      const end = clock.monotonic() + deadlineMs;
      const store = (value: DeadLetter): Promise<void> => {
        const record = { key: key ?? letter.integration_id ?? letter.id, value: cleanJson(value) };
        return bus.publish(topics.deadLetters.name, [recordHeaders ? { ...record, headers: recordHeaders } : record], {
          deadlineMs: Math.max(1, Math.ceil(end - clock.monotonic())),
        });
      };
      const storeSmaller = async ([limit, ...less]: readonly number[], value: DeadLetter): Promise<void> =>
        store(value).catch((error: unknown) => {
          if (!isRelayError(error, 'record_too_large')) throw error;
          // The topic is at fault, not the record.
          if (limit === undefined)
            throw new RelayError('bus_unavailable', { details: { reason: error.message }, cause: error });
          return storeSmaller(less, shrunk(letter, limit));
        });
      await storeSmaller(isAllowedWhole(letter) ? [] : smallerBodies, letter);
      const { kind, integration_id: integration, reason, id } = letter;
      metrics.count('relay_dead_letters_total', { kind, reason });
      limitedLog.warn(
        `${integration}.${kind}.${reason}`,
        { integration, kind, reason, letter: id },
        'a dead letter was written',
      );
    },
  };
};
