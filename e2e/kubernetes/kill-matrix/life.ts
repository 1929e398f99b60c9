import type { Access } from '@ranger-relay/operator-kit';
import { startCrew } from './crew.ts';
import { endOf, type End } from './end.ts';
import { openPlace, type Ground } from './place.ts';
import type { Point } from './points.ts';
import { createReaper, type Kill } from './reaper.ts';
import { story } from './story.ts';
import { openWitness } from './witness.ts';

/** What became of a life. */
export interface Lived {
  readonly end: End;
  /** Calls of steps that were done, in order. */
  readonly done: readonly Point[];
  /** Those of which a replica of the operator died. */
  readonly deaths: readonly Point[];
  /** What must never be and was. */
  readonly broken: readonly string[];
}

/** Jobs that were let go before they were written down. */
const tooEarly = (done: readonly Point[]): readonly string[] => {
  const isWritten = (job: string, before: number): boolean =>
    done.slice(0, before).some((point) => point.step === 'RecordJob' && point.job === job);
  return done
    .filter(({ step, job }, n) => step === 'ReleaseJob' && !isWritten(job, n))
    .map(({ job }) => `Job ${job} began before it was written down`);
};

/** Lives one life of a PatrolSync, while the operator dies as it is told to. @throws what went wrong, with what it died of */
export const live = async (ground: Ground, access: Access, name: string, kill?: Kill): Promise<Lived> => {
  const place = await openPlace(ground, name);
  const reaper = createReaper(kill);
  const witness = await openWitness(place);
  const crew = await startCrew({ access, api: ground.api, namespace: name, reaper });
  const { done, deaths } = reaper;
  try {
    const applied = await story({ place, crew, witness });
    await crew.stop();
    return { end: { applied, ...(await endOf(place)) }, done, deaths, broken: [...witness.broken, ...tooEarly(done)] };
  } catch (error) {
    await place.writeDown();
    const died = deaths.map(({ step, what }) => `${step} ${what}`).join(', ');
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${name}, in which the operator died of ${died || 'nothing'}: ${why}`, { cause: error });
  } finally {
    await crew.stop().catch(() => undefined);
    await witness.stop();
    await place.remove();
  }
};
