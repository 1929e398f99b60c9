import { toRelayError } from '@ranger-relay/errors';
import { afterUnit, unitOf, type Cursor, type Unit } from './cursor.ts';
import type { PullParts } from './parts.ts';
import { isUnitsOwn, pullUnit } from './unit.ts';

/** How far a run has come. */
export interface Progress {
  readonly cursor: Cursor;
  readonly extracted: number;
  /** Some units that were passed over, for people. */
  readonly passedOver: readonly Readonly<Record<string, unknown>>[];
}

/** Share of the execution time after which no unit is begun. */
const lastStart = 0.8;
const mostNamed = 20;

const named = ({ source, from, to }: Unit, reason: string): Readonly<Record<string, unknown>> => ({
  source,
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  reason,
});

type Pulled = { readonly count: number } | { readonly reason: string };

const pullOrPass = async (parts: PullParts, unit: Unit): Promise<Pulled> => {
  try {
    return { count: await pullUnit(parts, unit) };
  } catch (error) {
    parts.context.signal.throwIfAborted();
    if (!(await isUnitsOwn(parts, unit, error))) throw error;
    const { message } = toRelayError(error);
    parts.context.log.warn({ unit: named(unit, message) }, 'the site refuses a part of the pull; it is left out');
    return { reason: message };
  }
};

/**
 * Works through the units from a cursor on, until all are done or 80 % of the time has passed. The cursor is kept before the first unit and
 * after each, once everything of it is on the bus.
 */
export const runUnits = async (parts: PullParts, from: Cursor): Promise<Progress> => {
  const { state, timeUsed, signal } = parts.context;
  let cursor: Cursor = { ...from, no_progress_count: from.no_progress_count + 1 };
  let extracted = 0;
  const passedOver: Readonly<Record<string, unknown>>[] = [];
  await state.saveCursor(cursor);
  for (let unit = unitOf(cursor); unit && timeUsed() < lastStart; unit = unitOf(cursor)) {
    signal.throwIfAborted();
    const pulled = await pullOrPass(parts, unit);
    const failed = 'reason' in pulled;
    if (!failed) extracted += pulled.count;
    else if (passedOver.length < mostNamed) passedOver.push(named(unit, pulled.reason));
    cursor = afterUnit(cursor, failed);
    await state.saveCursor(cursor);
  }
  return { cursor, extracted, passedOver };
};
