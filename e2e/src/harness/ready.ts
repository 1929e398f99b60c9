import type { Started } from './product.ts';
import { until } from './until.ts';

const answerMs = 2_000;

const ask = (url: string): Promise<Response> => fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMs) });

/** Whether a service says that it is ready. @throws when it does not answer */
export const isReady = async (url: string): Promise<boolean> => (await ask(url)).ok;

/** @throws what it is not ready for */
const mustBeReady = async (url: string): Promise<void> => {
  const answer = await ask(url);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
};

/** Waits until a process prints what matches; the match. @throws with what it printed instead */
export const untilPrinted = async (
  what: string,
  { output, errors }: Pick<Started, 'output' | 'errors'>,
  pattern: RegExp,
  timeoutMs = 30_000,
): Promise<RegExpExecArray> => {
  let found: RegExpExecArray | null = null;
  const isPrinted = (): boolean => (found = pattern.exec(output() + errors())) !== null;
  await until(what, isPrinted, timeoutMs).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}:\n${errors()}${output()}`, { cause: error });
  });
  return found!;
};

/**
 * Waits until a process that was just started is ready at each of its addresses.
 * @throws why it is not, or that it ended before, with what it printed
 */
export const untilReady = async (
  name: string,
  { exited, errors, output }: Started,
  urls: readonly string[],
  timeoutMs = 30_000,
): Promise<void> => {
  const printed = (): string => `${errors()}${output()}`;
  const gone = exited.then((code) => {
    throw new Error(`${name} ended with ${String(code)}:\n${printed()}`);
  });
  const allAreReady = async (): Promise<boolean> => {
    for (const url of urls) await mustBeReady(url);
    return true;
  };
  const ready = until(`${name} is ready`, allAreReady, timeoutMs).catch((error: unknown) => {
    throw new Error(`${(error as Error).message}:\n${printed()}`, { cause: error });
  });
  await Promise.race([ready, gone]);
};
