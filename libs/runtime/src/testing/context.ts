import { createContext, type Context } from '../context.ts';
import { silentLogger } from './loggers.ts';
import { seededRandom } from './seeded-random.ts';

/** A context for tests: silent log, seeded chance, own metrics; override any part. */
export const testContext = (parts: Partial<Context> = {}): Context => ({
  ...createContext({ service: 'test', level: 'silent' }),
  log: silentLogger(),
  random: seededRandom(1),
  ...parts,
});
