import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const halfMegabytes = 8;
const lookMs = 10;

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;

/**
 * Keeps the young generation at two halves of 8 MB: one that grows with what passes through it would make a quarter of the memory that a
 * very large bundle takes, and a smaller one a fifth of the time.
 */
export const keepYoungGeneration = (): void => {
  // For threads, which start with it; here it has its first size already, and grows until it is stopped.
  setFlagsFromString(`--min-semi-space-size=${halfMegabytes}`);
  const timer = setInterval(() => {
    if (youngBytes() < 2e6 * halfMegabytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, lookMs);
  timer.unref();
};
